"""Gradients whose computation is left to the optimizer."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class ProductGradient:
    """The gradient left · right of the weights of all runs.

    Adam's kernel multiplies the factors tile by tile, so that a large gradient is neither written
    to memory nor read from it.

    Shape: left (R, O, N); right (R, N, I), for a weight (R, O, I).
    """

    left: Tensor
    right: Tensor
    precision: str

    def computed(self) -> Tensor:
        """Return the gradient itself. Shape: -> (R, O, I)."""
        from ipcae.ops.run_linear.product_triton import multiply

        return multiply(self.left, self.right, self.precision)[0]


@dataclass(frozen=True)
class SumGradient:
    """The gradient of the biases of all runs: the sum of ``terms`` over the rows.

    Adam's kernel sums the terms.

    Shape: terms (R, B, O), for a bias (R, O).
    """

    terms: Tensor

    def computed(self) -> Tensor:
        """Return the sums. Shape: -> (R, O)."""
        return self.terms.sum(1)
