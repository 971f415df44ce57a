"""A decoder on a fixed selection, for fine-tuning and prediction."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.decoders import Decoder, Params
from ipcae.models.base import join, part
from ipcae.ops import hard_select
from ipcae.runs import Stream
from ipcae.schedules import Progress


@dataclass(frozen=True)
class FixedSelection:
    """A decoder on a fixed selection, stored in a buffer.

    Shape: ``buffer:features`` (R, K), the feature of each input of the decoder.
    """

    decoder: Decoder
    n_selected: int
    n_outputs: int

    def init(self, stream: Stream) -> Params:
        """Draw the tensors of a new decoder; the caller adds ``buffer:features``."""
        return join(decoder=self.decoder.init(self.n_selected, self.n_outputs, stream))

    @staticmethod
    def start_from(params: Params, features: Tensor) -> Params:
        """Return the decoder of a trained model, on these features of shape (R, K)."""
        return {**join(decoder=part(params, "decoder")), "buffer:features": features}

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        return self.decode(params, hard_select(rows, params["buffer:features"]), stream)

    def decode(self, params: Params, selected: Tensor, stream: Stream | None = None) -> Tensor:
        """Map selected values to outputs. Shape: (R, B, K) -> (R, B, O)."""
        return self.decoder.apply(part(params, "decoder"), selected, stream)

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
