"""The model of a concrete autoencoder: K nodes, followed by a decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ipcae.arrays import Integers
from ipcae.models import FixedSelection, Params, join, narrowed_decoder, node_mask, part
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection, selection_probability
from ipcae.selectors.constrained_model import ConstrainedModel
from ipcae.selectors.node_choice import choose_units
from ipcae.selectors.price import adjust_price, price_tensors

if TYPE_CHECKING:
    from ipcae.selectors.concrete import Concrete

NEVER = -1e4
"""The logit of a feature that a node cannot choose."""


@dataclass(frozen=True)
class SelectThenDecode(ConstrainedModel):
    """Nodes select values from the row; the decoder maps them to the outputs.

    Included features go straight to the decoder, before the values of the nodes, which choose from
    the candidates of the constraints. If these are groups of up to S columns, a node has S values,
    the last ones zero if it reads a smaller group. Within a budget, features have a price, and a
    node may choose nothing (:mod:`ipcae.selectors.price`).

    If runs select different numbers of features, ``buffer:nodes`` (R, K) is 1 for the nodes that
    are used. The values of the others are ignored, and the penalty does not include them.

    Examples
    --------
    >>> from ipcae.decoders import Mlp
    >>> from ipcae.selectors import Concrete
    >>> model = SelectThenDecode(Concrete(), Mlp(), n_features=8, n_selected=3, n_outputs=2)
    >>> params = model.init(Stream([0]))
    >>> model.predict(params, torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    selector: Concrete

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors of both parts.

        Shape: ``buffer:included`` and ``buffer:candidates`` (R, S, units), the columns of units.
        """
        given = self.constraints
        preferred = torch.from_numpy(np.isin(given.candidates, given.preferred))
        if self.priced:
            preferred = functional.pad(preferred, (0, 1), value=True)
        params = join(
            selector=self.selector.init(self.n_to_choose, preferred, stream),
            decoder=self.decoder.init(self.n_inputs, self.n_outputs, stream),
        )
        if self.priced:
            zeros = torch.zeros(len(stream.seeds), len(preferred), device=stream.device)
            offset = params.setdefault("selector.buffer:offset", zeros)
            params |= join(price=price_tensors(given, self.n_to_choose, offset))
        return params | join(columns=self._columns(stream) if self._gathers else {})

    def _columns(self, stream: Stream) -> Params:
        given = self.constraints
        included, candidates = given.slots(given.included_units), given.slots(given.candidates)
        if self.priced:  # nothing, a column of zeros
            nothing = np.full((1, given.width), given.n_features)
            candidates = np.concatenate([candidates, nothing])
        columns = {"buffer:included": included, "buffer:candidates": candidates}
        return {
            name: torch.from_numpy(table.T.copy()).repeat(len(stream.seeds), 1, 1).to(stream.device)
            for name, table in columns.items()
        }

    @property
    def needs_new_decoders(self) -> bool:
        """Whether other features than the nodes' own choices may be selected."""
        return self.priced or bool(self.constraints.at_most)

    @property
    def _gathers(self) -> bool:
        """Whether the nodes do not simply choose from all columns."""
        return self.constraints.restricts or self.priced

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
        own, columns = part(params, "selector"), part(params, "columns")
        candidates = rows
        if self._gathers:
            if self.priced or self.constraints.width > 1:
                rows = functional.pad(rows, (0, 1))
            candidates = _slots(rows, columns["buffer:candidates"][0])
        selected, penalty = self.selector.select(own, candidates, progress, stream)
        nodes = own.get("buffer:nodes")
        if nodes is not None:
            selected = selected * nodes.view(len(nodes), 1, -1, *[1] * (selected.ndim - 3))
        if not self._gathers:
            return selected, penalty
        included = _slots(rows, columns["buffer:included"][0])
        included = included if included.ndim == 2 else included.transpose(1, 2).flatten(1)
        selected = selected.flatten(2)
        return torch.cat([included.expand(len(selected), -1, -1), selected], -1), penalty

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Adjust the price of the features, if there is one."""
        if self.priced:
            own = part(params, "selector")
            logits = self.selector.logits(own)
            probability = selection_probability(logits, own.get("buffer:nodes"))
            adjust_price(part(params, "price"), probability, own["buffer:offset"], logits.shape[1])

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the metrics of the nodes."""
        return self.selector.describe(part(params, "selector"), progress)

    def settled(self, metrics: dict[str, list[float]]) -> list[bool]:
        """Return, for every run, whether each node has a feature of probability 0.9 or more."""
        mean = metrics.get("largest_probability", [0.0] * len(metrics["validation_loss"]))
        return self._are_settled(mean)

    def logits(self, params: Params) -> Tensor:
        """Return log α of the nodes, those of included features first. Shape: -> (R, K, D).

        The logit of a group is that of its first column; a node cannot choose the others.
        """
        logits = self.selector.logits(part(params, "selector"))
        given = self.constraints
        if not self._gathers:
            return logits
        full = logits.new_full((len(logits), self.n_selected, self.n_features), NEVER)
        n_included = len(given.included_units)
        full[:, range(n_included), given.first_columns(given.included_units)] = 0.0
        full[:, n_included:, given.first_columns(given.candidates)] = logits[
            ..., : len(given.candidates)
        ]
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
            self._selection(logits[run, :n], chosen[run, :n].numpy(), probability[run], unique)
            for run, n in enumerate(counts)
        ]

    def _selection(
        self, logits: Tensor, chosen: Integers, probability: Tensor, unique: bool
    ) -> Selection:
        """Return the selection of the included features and of the choices of the nodes."""
        given = self.constraints
        included, n_candidates = given.included_units, len(given.candidates)
        units = choose_units(logits, given, len(included) + len(logits), unique)
        chosen = given.candidates[chosen[chosen < n_candidates]]
        if not len(chosen):
            chosen = units
        return Selection(
            chosen=given.first_columns([*included, *chosen]),
            features=given.columns([*included, *units]),
            probability=self._strength(probability[:n_candidates].numpy())[given.unit_of],
        )


def _slots(rows: Tensor, columns: Tensor) -> Tensor:
    """Return these columns; a single slot has no axis.

    Shape: rows (B, D); columns (S, units) -> (B, S, units) or (B, units).
    """
    if len(columns) == 1:
        return rows.index_select(1, columns[0])
    return rows.index_select(1, columns.flatten()).unflatten(1, columns.shape)
