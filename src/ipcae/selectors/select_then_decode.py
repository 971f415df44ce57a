"""The model of a concrete autoencoder: K nodes, followed by a decoder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.decoders import Decoder
from ipcae.models import FixedSelection, Params, join, part
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection, distinct_features, selection_probability

NEVER = -1e4
"""The logit of a feature that a node cannot choose."""


class Nodes(Protocol):
    """A selection layer of K nodes, each with logits over the D features."""

    def init(self, n_nodes: int, preferred: Tensor, stream: Stream) -> Params:
        """Draw the initial tensors. Shape: preferred (D,), False for features to avoid."""
        ...

    def select(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the selected values, and the penalty for weight 1 or None.

        Samples are soft with a stream; without one, every node reads the feature with its largest
        logit. Shape: (B, D) -> (R, B, K), (R,).
        """
        ...

    def logits(self, params: Params) -> Tensor:
        """Return log α. Shape: -> (R, K, D)."""
        ...

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return metrics to record, each of shape (R,)."""
        ...


@dataclass(frozen=True)
class SelectThenDecode:
    """Nodes select values from the row; the decoder maps them to the outputs.

    Included features go straight to the decoder, before the values of the other nodes, which
    choose from the candidates of the constraints.

    Examples
    --------
    >>> from ipcae.decoders import Mlp
    >>> from ipcae.selectors import Concrete
    >>> model = SelectThenDecode(Concrete(), Mlp(), n_features=8, n_selected=3, n_outputs=2)
    >>> params = model.init(Stream([0]))
    >>> model.predict(params, torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    selector: Nodes
    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    constraints: Constraints = field(default=None, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.constraints is None:
            object.__setattr__(self, "constraints", Constraints(self.n_features))

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors of both parts.

        Shape: ``buffer:included`` (R, number of included), ``buffer:candidates`` (R, candidates).
        """
        given = self.constraints
        preferred = torch.from_numpy(np.isin(given.candidates, given.avoided, invert=True))
        n_nodes = self.n_selected - len(given.included)
        params = join(
            selector=self.selector.init(n_nodes, preferred, stream),
            decoder=self.decoder.init(self.n_selected, self.n_outputs, stream),
        )
        if given.restricts:
            for name in ("included", "candidates"):
                columns = torch.as_tensor(getattr(given, name), dtype=torch.long)
                repeated = columns.repeat(len(stream.seeds), 1).to(stream.device)
                params[f"columns.buffer:{name}"] = repeated
        return params

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        selected, _ = self._select(params, rows, progress, stream)
        return self.decoder.apply(part(params, "decoder"), selected, stream)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Return outputs and penalty. Shape: rows (B, D) -> (R, B, O), (R,)."""
        selected, penalty = self._select(params, rows, progress, stream)
        return self.decoder.apply(part(params, "decoder"), selected, stream), penalty

    def _select(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the inputs of the decoder and the penalty. Shape: (B, D) -> (R, B, K), (R,)."""
        nodes = part(params, "selector")
        if not self.constraints.restricts:
            return self.selector.select(nodes, rows, progress, stream)
        included, candidates = (
            rows.index_select(1, params[f"columns.buffer:{name}"][0])
            for name in ("included", "candidates")
        )
        selected, penalty = self.selector.select(nodes, candidates, progress, stream)
        return torch.cat([included.expand(len(selected), -1, -1), selected], -1), penalty

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Do nothing."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the metrics of the nodes."""
        return self.selector.describe(part(params, "selector"), progress)

    def logits(self, params: Params) -> Tensor:
        """Return log α of the nodes, those of included features first. Shape: -> (R, K, D)."""
        logits = self.selector.logits(part(params, "selector"))
        given = self.constraints
        if not given.restricts:
            return logits
        full = logits.new_full((len(logits), self.n_selected, self.n_features), NEVER)
        n_included = len(given.included)
        full[:, range(n_included), given.included] = 0.0
        full[:, n_included:, given.candidates] = logits
        return full

    @property
    def final_model(self) -> FixedSelection:
        """The model with the same decoder on a fixed selection."""
        return FixedSelection(self.decoder, self.n_selected, self.n_outputs)

    @torch.no_grad()
    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return the feature with the largest logit per node, or distinct ones if ``unique``."""
        logits = self.selector.logits(part(params, "selector"))
        # NOTE[DIFF]: the paper uses the largest logit of every node, which allows duplicates.
        chosen = logits.argmax(-1).cpu()
        probability = selection_probability(logits).cpu()
        return [
            self._selection(
                chosen=chosen[run].numpy(),
                features=(_different(logits[run]) if unique else chosen[run]).numpy(),
                probability=probability[run].numpy(),
            )
            for run in range(len(logits))
        ]

    def _selection(
        self,
        chosen: NDArray[np.int64],
        features: NDArray[np.int64],
        probability: NDArray[np.float32],
    ) -> Selection:
        """Return the selection of the included features and of these candidates."""
        given = self.constraints
        if not given.restricts:
            return Selection(chosen, features, probability)
        included = np.array(given.included, dtype=np.int64)
        of_all = np.zeros(self.n_features, dtype=np.float32)
        of_all[included], of_all[given.candidates] = 1.0, probability
        return Selection(
            chosen=np.concatenate([included, given.candidates[chosen]]),
            features=np.concatenate([included, given.candidates[features]]),
            probability=of_all,
        )


def _different(logits: Tensor) -> Tensor:
    # The logits of a diverged run may be NaN; its selection is not used.
    return distinct_features(torch.nan_to_num(logits))
