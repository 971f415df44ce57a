"""The rows a model learns from or is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rows:
    """N rows, their targets and their weights.

    Shape: inputs (N, D); targets (N, ...); weights (N,) or None.

    >>> rows = Rows(torch.arange(6.0).view(3, 2), torch.arange(3))
    >>> rows.take(slice(2)).targets
    tensor([0, 1])
    """

    inputs: Tensor
    targets: Tensor
    weights: Tensor | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, which: Tensor | slice) -> Rows:
        """Return the rows of a slice, or those with these numbers."""

        def part(tensor: Tensor) -> Tensor:
            return tensor[which] if isinstance(which, slice) else tensor.index_select(0, which)

        inputs = part(self.inputs)
        # A reconstruction's targets are its inputs: gather them once.
        targets = inputs if self.targets is self.inputs else part(self.targets)
        return Rows(inputs, targets, None if self.weights is None else part(self.weights))

    def copy(self) -> Rows:
        """Return the same rows in memory of their own."""
        inputs = self.inputs.clone()
        targets = inputs if self.targets is self.inputs else self.targets.clone()
        return Rows(inputs, targets, None if self.weights is None else self.weights.clone())

    def to(self, device: torch.device) -> Rows:
        """Move the rows to a device."""
        inputs = self.inputs.to(device)
        targets = inputs if self.targets is self.inputs else self.targets.to(device)
        return Rows(inputs, targets, None if self.weights is None else self.weights.to(device))
