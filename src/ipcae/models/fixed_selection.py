"""A decoder on a fixed selection, for fine-tuning and prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from ipcae.decoders import Decoder, Params
from ipcae.models.base import join, part
from ipcae.models.nodes import narrowed_decoder, node_mask
from ipcae.ops import hard_select, run_linear
from ipcae.runs import Stream
from ipcae.schedules import Progress


@dataclass(frozen=True)
class FixedSelection:
    """A decoder on a fixed selection, stored in a buffer.

    If a run has fewer than K features, the other inputs of its decoder are zero.

    Shape: ``buffer:features`` (R, K), the feature of each input of the decoder; ``buffer:nodes``
    (R, K), 1 for the inputs that are used, if not all are; ``buffer:matrix`` (R, K, K), a symmetric
    matrix that the inputs are multiplied by in training, if any (:meth:`merged`). K is
    ``n_selected``, the number of inputs.
    """

    decoder: Decoder
    n_selected: int
    n_outputs: int

    def init(self, stream: Stream) -> Params:
        """Draw the tensors of a new decoder; the caller adds ``buffer:features``."""
        return join(decoder=self.decoder.init(self.n_selected, self.n_outputs, stream))

    def narrowed(self, params: Params, counts: Sequence[int]) -> Params:
        """Return the initial tensors for runs with these numbers of features."""
        nodes = node_mask(counts, self.n_selected)
        if nodes is None:
            return params
        nodes = nodes.to(next(iter(params.values())).device)
        decoder = narrowed_decoder(self.decoder, part(params, "decoder"), nodes)
        return {**params, **join(decoder=decoder), "buffer:nodes": nodes}

    @staticmethod
    def start_from(params: Params, features: Tensor, nodes: Tensor | None = None) -> Params:
        """Return the decoder of a trained model, on these features of shape (R, K)."""
        start = {**join(decoder=part(params, "decoder")), "buffer:features": features}
        return start if nodes is None else {**start, "buffer:nodes": nodes}

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        return self.decode(params, self.selected(params, rows), stream)

    @staticmethod
    def selected(params: Params, rows: Tensor) -> Tensor:
        """Return the inputs of the decoder. Shape: (B, D) -> (R, B, K)."""
        values = hard_select(rows, params["buffer:features"])
        nodes = params.get("buffer:nodes")
        return values if nodes is None else values * nodes.unsqueeze(1)

    def decode(self, params: Params, selected: Tensor, stream: Stream | None = None) -> Tensor:
        """Map selected values to outputs.

        Shape: (R, B, K), or for a single run only the values that are used -> (R, B, O).
        """
        if selected.shape[-1] < self.n_selected:
            (nodes,) = params["buffer:nodes"]  # of a single run
            every = selected.new_zeros(*selected.shape[:-1], self.n_selected)
            every[..., nodes != 0] = selected
            selected = every
        if "buffer:matrix" in params:
            selected = run_linear(selected, params["buffer:matrix"])
        return self.decoder.apply(part(params, "decoder"), selected, stream)

    @staticmethod
    def merged(params: Params) -> Params:
        """Return the tensors with the matrix of the inputs, if any, merged into the decoder."""
        others = dict(params)
        matrix = others.pop("buffer:matrix", None)
        if matrix is None:
            return params
        for name in ("decoder.0.weight", "decoder.skip.weight"):
            if name in others:
                others[name] = (others[name].double() @ matrix.double()).to(others[name])
        return others

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Return the outputs, and None because there is no penalty."""
        return self.predict(params, rows, progress, stream), None

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Do nothing."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return no metrics."""
        return {}

    @staticmethod
    def settled(metrics: dict[str, list[float]]) -> list[bool]:
        """Return True for every run."""
        return [True] * len(metrics["validation_loss"])
