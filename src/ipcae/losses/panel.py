"""Classification and reconstruction with one selection."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor

from ipcae.errors import InputError
from ipcae.losses.standard import CrossEntropy, SquaredError


@dataclass(frozen=True)
class CrossEntropyWithReconstruction:
    """A weighted mean of the cross-entropy and the squared error of all features.

    Each is divided by its value for a constant prediction: the cross-entropy by log C, the value
    for C equally frequent classes; scaled columns have a mean squared deviation of about 1.

    Parameters
    ----------
    weight : float
        Weight of the reconstruction, from 0 (classification only) to 1 (reconstruction only).

    Examples
    --------
    >>> import torch
    >>> loss = CrossEntropyWithReconstruction(weight=0.5)
    >>> class_and_columns = torch.tensor([[1.0, 3.0, 3.0]])
    >>> loss.per_row(torch.zeros(1, 1, 2 + 2), class_and_columns)
    tensor([[5.]])
    """

    weight: float = 0.5
    metric = "accuracy"

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise InputError(
                f"The weight of the reconstruction is {self.weight!r}: expected 0 to 1."
            )

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, C + D); targets (B, 1 + D), the class first -> (R, B)."""
        n_classes = self._n_classes(outputs, targets)
        classes = CrossEntropy().per_row(outputs[..., :n_classes], targets[:, 0].long())
        columns = SquaredError().per_row(outputs[..., n_classes:], targets[:, 1:])
        return (1 - self.weight) / math.log(n_classes) * classes + self.weight * columns

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return 100 if the most probable class is correct, else 0. Shape: as ``per_row``."""
        n_classes = self._n_classes(outputs, targets)
        return CrossEntropy().measure(outputs[..., :n_classes], targets[:, 0].long())

    def _n_classes(self, outputs: Tensor, targets: Tensor) -> int:
        return outputs.shape[-1] - targets.shape[-1] + 1
