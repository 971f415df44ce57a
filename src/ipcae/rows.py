"""Rows with targets and weights, for training or evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rows:
    """N rows with targets and weights.

    Without ``given_targets``, the inputs are the targets, as for reconstruction; they are stored
    only once.

    Shape: inputs (N, D); given_targets (N, ...) or None; weights (N,) or None.

    >>> rows = Rows(torch.arange(6.0).view(3, 2), torch.arange(3))
    >>> rows.take(slice(2)).targets
    tensor([0, 1])
    """

    inputs: Tensor
    given_targets: Tensor | None = None
    weights: Tensor | None = None

    @property
    def targets(self) -> Tensor:
        """The given targets, or the inputs."""
        return self.inputs if self.given_targets is None else self.given_targets

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, which: Tensor | slice) -> Rows:
        """Return the rows of a slice, or with these indices."""
        if isinstance(which, slice):
            return self._map(lambda tensor: tensor[which])
        return self._map(lambda tensor: tensor.index_select(0, which))

    def copy(self) -> Rows:
        """Return a copy of the rows."""
        return self._map(torch.clone)

    def joined(self, other: Rows) -> Rows:
        """Return these rows, followed by others of the same kind.

        >>> rows = Rows(torch.zeros(2, 1), weights=torch.ones(2))
        >>> len(rows.joined(rows.take(slice(1))))
        3
        """
        targets, weights = (
            None if own is None or theirs is None else torch.cat([own, theirs])
            for own, theirs in (
                (self.given_targets, other.given_targets),
                (self.weights, other.weights),
            )
        )
        return Rows(torch.cat([self.inputs, other.inputs]), targets, weights)

    def to(self, device: torch.device) -> Rows:
        """Move the rows to a device."""
        return self._map(lambda tensor: tensor.to(device))

    def _map(self, change: Callable[[Tensor], Tensor]) -> Rows:
        targets, weights = (
            None if tensor is None else change(tensor)
            for tensor in (self.given_targets, self.weights)
        )
        return Rows(change(self.inputs), targets, weights)
