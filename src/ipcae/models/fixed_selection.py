"""A decoder on a selection that no longer changes: for fine-tuning and for prediction."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.decoders import Decoder
from ipcae.models.base import Params, join, part
from ipcae.ops import hard_select
from ipcae.runs import Stream
from ipcae.schedules import Progress


@dataclass(frozen=True)
class FixedSelection:
    """The decoder alone is trained; the features it reads are a buffer of its tensors.

    Shape: ``buffer:features`` (R, K), the feature that each input of the decoder reads.
    """

    decoder: Decoder
    n_selected: int
    n_outputs: int

    def init(self, stream: Stream) -> Params:
        """Draw a new decoder; the features are the caller's to give (:meth:`start_from`)."""
        return join(decoder=self.decoder.init(self.n_selected, self.n_outputs, stream))

    @staticmethod
    def start_from(params: Params, features: Tensor) -> Params:
        """Take the trained decoder of a larger model, on these features (R, K)."""
        return {**join(decoder=part(params, "decoder")), "buffer:features": features}

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Shape: rows (B, D) -> (R, B, O)."""
        return self.decode(params, hard_select(rows, params["buffer:features"]), stream)

    def decode(self, params: Params, selected: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: selected values (R, B, K) -> (R, B, O)."""
        return self.decoder.apply(part(params, "decoder"), selected, stream)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Predict; there is nothing to penalize."""
        return self.predict(params, rows, progress, stream), None

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Nothing to project."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Nothing that changes."""
        return {}
