"""A loss that skips missing values."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.losses.base import Loss


@dataclass(frozen=True)
class Observed:
    """A loss of outputs whose targets may be missing: such outputs do not count.

    The loss of a row is that of the outputs with a target, as if there were no others.

    >>> import torch
    >>> from ipcae.losses import SquaredError
    >>> loss = Observed(SquaredError())
    >>> loss.per_row(torch.zeros(1, 1, 3), torch.tensor([[1.0, torch.nan, 3.0]]))
    tensor([[5.]])
    """

    loss: Loss
    metric: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", self.loss.metric)

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, O), NaN if missing -> (R, B)."""
        return self.loss.per_row(*self._filled(outputs, targets)) * self._factor(targets)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the metric of the outputs that have a target. Shape: as ``per_row``."""
        return self.loss.measure(*self._filled(outputs, targets)) * self._factor(targets)

    @staticmethod
    def _filled(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        # Zero minus zero has neither a loss nor a gradient.
        missing = targets.isnan()
        return outputs.masked_fill(missing, 0.0), targets.masked_fill(missing, 0.0)

    @staticmethod
    def _factor(targets: Tensor) -> Tensor:
        """Return the outputs per target of a row, since losses are means over all outputs."""
        return targets.shape[-1] / (~targets.isnan()).sum(-1).clamp(min=1)
