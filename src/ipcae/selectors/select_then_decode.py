"""The model of a concrete autoencoder: K nodes, followed by a decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from ipcae.decoders import Decoder
from ipcae.models import FixedSelection, Params, join, narrowed_decoder, node_mask, part
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection, distinct_features, selection_probability


class Nodes(Protocol):
    """A selection layer of K nodes, each with logits over the D features.

    If runs select different numbers of features, ``buffer:nodes`` (R, K) is 1 for the nodes that
    are used. The values of the others are ignored; the penalty should not include them.
    """

    def init(self, n_nodes: int, selectable: Tensor, stream: Stream) -> Params:
        """Draw the initial tensors. Shape: selectable (D,), whether a feature may be selected."""
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
    """K nodes select values from the row; the decoder maps them to the outputs.

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
    excluded: tuple[int, ...] = field(default=(), repr=False)

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors of both parts."""
        selectable = torch.ones(self.n_features, dtype=torch.bool)
        selectable[list(self.excluded)] = False
        return join(
            selector=self.selector.init(self.n_selected, selectable, stream),
            decoder=self.decoder.init(self.n_selected, self.n_outputs, stream),
        )

    def narrowed(self, params: Params, counts: Sequence[int]) -> Params:
        """Return the initial tensors for runs with these numbers of features."""
        nodes = node_mask(counts, self.n_selected)
        if nodes is None:
            return params
        nodes = nodes.to(next(iter(params.values())).device)
        decoder = narrowed_decoder(self.decoder, part(params, "decoder"), nodes)
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
        own = part(params, "selector")
        selected, penalty = self.selector.select(own, rows, progress, stream)
        nodes = own.get("buffer:nodes")
        return selected if nodes is None else selected * nodes.unsqueeze(1), penalty

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Do nothing."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the metrics of the nodes."""
        return self.selector.describe(part(params, "selector"), progress)

    def logits(self, params: Params) -> Tensor:
        """Return log α. Shape: -> (R, K, D)."""
        return self.selector.logits(part(params, "selector"))

    @property
    def final_model(self) -> FixedSelection:
        """The model with the same decoder on a fixed selection."""
        return FixedSelection(self.decoder, self.n_selected, self.n_outputs)

    @torch.no_grad()
    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return the feature with the largest logit per node, or distinct ones if ``unique``."""
        logits = self.logits(params)
        # NOTE[DIFF]: the paper uses the largest logit of every node, which allows duplicates.
        chosen = logits.argmax(-1).cpu()
        nodes = params.get("selector.buffer:nodes")
        probability = selection_probability(logits, nodes).cpu()
        counts = [logits.shape[1]] * len(logits) if nodes is None else nodes.sum(1).int().tolist()
        return [
            Selection(
                chosen=chosen[run, :count].numpy(),
                features=(
                    _different(logits[run, :count]) if unique else chosen[run, :count]
                ).numpy(),
                probability=probability[run].numpy(),
            )
            for run, count in enumerate(counts)
        ]


def _different(logits: Tensor) -> Tensor:
    # The logits of a diverged run may be NaN; its selection is not used.
    return distinct_features(torch.nan_to_num(logits))
