"""The model of a concrete autoencoder: K nodes, followed by a decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ipcae.constraints import Constraints
from ipcae.decoders import Decoder
from ipcae.models import FixedSelection, Params, join, narrowed_decoder, node_mask, part
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection, distinct_features, selection_probability

NEVER = -1e4
"""The logit of a feature that a node cannot choose."""


class Nodes(Protocol):
    """A selection layer of K nodes, each with logits over the D features.

    If runs select different numbers of features, ``buffer:nodes`` (R, K) is 1 for the nodes that
    are used. The values of the others are ignored; the penalty should not include them.
    """

    def init(self, n_nodes: int, preferred: Tensor, stream: Stream) -> Params:
        """Draw the initial tensors. Shape: preferred (D,), False for features to avoid."""
        ...

    def select(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the selected values, and the penalty for weight 1 or None.

        Samples are soft with a stream; without one, every node reads the feature with its largest
        logit. Shape: (B, D) -> (R, B, K), (R,); rows of S slots, (B, S, D) -> (R, B, K, S), (R,).
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

    Included features go straight to the decoder, before the values of the nodes, which choose from
    the candidates of the constraints. If these are groups of up to S columns, a node has S values,
    the last ones zero if it reads a smaller group.

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

        Shape: ``buffer:included`` and ``buffer:candidates`` (R, S, units), the columns of units.
        """
        given = self.constraints
        preferred = torch.from_numpy(np.isin(given.candidates, given.preferred))
        n_nodes = self.n_selected - len(given.included_units)
        params = join(
            selector=self.selector.init(n_nodes, preferred, stream),
            decoder=self.decoder.init(self.n_inputs, self.n_outputs, stream),
        )
        if given.restricts:
            units = {"included": given.included_units, "candidates": given.candidates}
            for name, which in units.items():
                columns = torch.from_numpy(given.slots(which).T.copy())
                repeated = columns.repeat(len(stream.seeds), 1, 1).to(stream.device)
                params[f"columns.buffer:{name}"] = repeated
        return params

    @property
    def n_inputs(self) -> int:
        """The number of inputs of the decoder, K · S."""
        return self.n_selected * self.constraints.width

    def narrowed(self, params: Params, counts: Sequence[int]) -> Params:
        """Return the initial tensors for runs with these numbers of features."""
        every = node_mask(counts, self.n_selected)
        if every is None:
            return params
        every = every.to(next(iter(params.values())).device)
        inputs = every.repeat_interleave(self.constraints.width, 1)
        decoder = narrowed_decoder(self.decoder, part(params, "decoder"), inputs)
        nodes = every[:, len(self.constraints.included_units) :]
        return {**params, **join(decoder=decoder), "selector.buffer:nodes": nodes}

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
        """Return the inputs of the decoder and the penalty. Shape: (B, D) -> (R, B, K·S), (R,)."""
        own, given = part(params, "selector"), self.constraints
        columns = part(params, "columns")
        candidates = _slots(rows, columns["buffer:candidates"][0]) if given.restricts else rows
        selected, penalty = self.selector.select(own, candidates, progress, stream)
        nodes = own.get("buffer:nodes")
        if nodes is not None:
            selected = selected * nodes.view(len(nodes), 1, -1, *[1] * (selected.ndim - 3))
        if not given.restricts:
            return selected, penalty
        included = _slots(rows, columns["buffer:included"][0])
        included = included if included.ndim == 2 else included.transpose(1, 2).flatten(1)
        selected = selected.flatten(2)
        return torch.cat([included.expand(len(selected), -1, -1), selected], -1), penalty

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Do nothing."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the metrics of the nodes."""
        return self.selector.describe(part(params, "selector"), progress)

    def logits(self, params: Params) -> Tensor:
        """Return log α of the nodes, those of included features first. Shape: -> (R, K, D).

        The logit of a group is that of its first column; a node cannot choose the others.
        """
        logits = self.selector.logits(part(params, "selector"))
        given = self.constraints
        if not given.restricts:
            return logits
        full = logits.new_full((len(logits), self.n_selected, self.n_features), NEVER)
        n_included = len(given.included_units)
        full[:, range(n_included), given.first_columns(given.included_units)] = 0.0
        full[:, n_included:, given.first_columns(given.candidates)] = logits
        return full

    @property
    def final_model(self) -> FixedSelection:
        """The model with the same decoder on a fixed selection."""
        return FixedSelection(self.decoder, self.n_inputs, self.n_outputs)

    @torch.no_grad()
    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return the feature with the largest logit per node, or distinct ones if ``unique``."""
        logits = self.selector.logits(part(params, "selector"))
        # NOTE[DIFF]: the paper uses the largest logit of every node, which allows duplicates.
        chosen = logits.argmax(-1).cpu()
        nodes = params.get("selector.buffer:nodes")
        probability = selection_probability(logits, nodes).cpu()
        counts = [logits.shape[1]] * len(logits) if nodes is None else nodes.sum(1).int().tolist()
        return [
            self._selection(
                chosen=chosen[run, :n].numpy(),
                features=(_different(logits[run, :n]) if unique else chosen[run, :n]).numpy(),
                probability=probability[run].numpy(),
            )
            for run, n in enumerate(counts)
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
        of_units = np.zeros(len(given.units), dtype=np.float32)
        of_units[given.included_units], of_units[given.candidates] = 1.0, probability
        units = np.concatenate([given.included_units, given.candidates[features]])
        return Selection(
            chosen=given.first_columns([*given.included_units, *given.candidates[chosen]]),
            features=given.columns(units),
            probability=of_units[given.unit_of],
        )


def _slots(rows: Tensor, columns: Tensor) -> Tensor:
    """Return these columns; column D is zero, and a single slot has no axis.

    Shape: rows (B, D); columns (S, units) -> (B, S, units) or (B, units).
    """
    if len(columns) == 1:
        return rows.index_select(1, columns[0])
    padded = functional.pad(rows, (0, 1))
    return padded.index_select(1, columns.flatten()).unflatten(1, columns.shape)


def _different(logits: Tensor) -> Tensor:
    # The logits of a diverged run may be NaN; its selection is not used.
    return distinct_features(torch.nan_to_num(logits))
