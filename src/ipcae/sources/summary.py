"""Minimum, maximum, mean and standard deviation of every column, in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Summary:
    """What scaling needs to know about the columns.

    Shape: low, high, mean, squares (D,); ``squares`` is the sum of the squared deviations from the
    mean, and ``n_nan`` and ``n_infinite`` (D,) count values that are not finite.

    >>> first, second = torch.tensor([[0.0], [2.0]]), torch.tensor([[7.0]])
    >>> both = Summary.of(first).joined(Summary.of(second))
    >>> both.mean.item(), both.deviation.item() == torch.tensor([0.0, 2, 7]).std(correction=0)
    (3.0, tensor(True))
    """

    n_rows: int
    low: Tensor
    high: Tensor
    mean: Tensor
    squares: Tensor
    n_nan: Tensor
    n_infinite: Tensor

    @classmethod
    def of(cls, rows: Tensor) -> Summary:
        """Summarize rows in memory, (N, D)."""
        low, high = rows.amin(0), rows.amax(0)
        wide = rows.double()
        mean = wide.mean(0)
        squares = (wide - mean).square_().sum(0)
        n_nan, n_infinite = torch.zeros_like(low).long(), torch.zeros_like(low).long()
        if not bool(torch.isfinite(torch.stack([low, high])).all()):
            n_nan, n_infinite = rows.isnan().sum(0), rows.isinf().sum(0)
        return cls(len(rows), low.double(), high.double(), mean, squares, n_nan, n_infinite)

    def joined(self, other: Summary) -> Summary:
        """Return the summary of both parts (Chan, Golub and LeVeque, 1979)."""
        n_rows = self.n_rows + other.n_rows
        gap = other.mean - self.mean
        return Summary(
            n_rows,
            torch.minimum(self.low, other.low),
            torch.maximum(self.high, other.high),
            self.mean + gap * (other.n_rows / n_rows),
            self.squares + other.squares + gap.square() * (self.n_rows * other.n_rows / n_rows),
            self.n_nan + other.n_nan,
            self.n_infinite + other.n_infinite,
        )

    @property
    def extremes(self) -> Tensor:
        """The smallest and the largest value of every column. Shape: (2, D)."""
        return torch.stack([self.low, self.high])

    @property
    def deviation(self) -> Tensor:
        """The standard deviation of every column, 0 for constant ones. Shape: (D,)."""
        deviation = (self.squares / self.n_rows).sqrt()
        # A mean is rounded, so that constant columns would seem to vary a little.
        return torch.where(self.low == self.high, 0.0, deviation)

    def cpu(self) -> Summary:
        """Return the summary on the CPU."""
        parts = (self.low, self.high, self.mean, self.squares, self.n_nan, self.n_infinite)
        return Summary(self.n_rows, *(part.cpu() for part in parts))
