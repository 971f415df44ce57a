"""Multinomial logistic regression with an ℓ1 penalty, by accelerated proximal gradient steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

_POWER_STEPS = 10  # of the power iteration for the largest eigenvalue
_GROWTH = 1.5  # of the curvature, if a step was too long


class Fit(NamedTuple):
    """Coefficients and intercepts. Shape: (D, C), (C,)."""

    coefficients: Tensor
    intercepts: Tensor


@dataclass(frozen=True, eq=False)
class LogisticLasso:
    """Minimize Σᵢ wᵢ lossᵢ + Σ_d p_d ‖β_d‖₁ over coefficients β and free intercepts.

    The steps are those of FISTA with restarts (Beck and Teboulle, 2009; O'Donoghue and Candès,
    2015), on the columns that are not known to be zero. Columns should be centered and of similar
    scale.

    Parameters
    ----------
    inputs : Tensor of shape (N, D)
    labels : Tensor of shape (N, C)
        Indicators of the classes.
    weights : Tensor of shape (N, 1)
    penalty : Tensor of shape (D, 1)
    tolerance : float
        How far the gradient of a column may be from that at the minimum, relative to its penalty.
    max_iter : int
        Maximum number of steps of a fit.

    Examples
    --------
    >>> x = torch.tensor([[-1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])
    >>> model = LogisticLasso(x, torch.eye(2)[[0, 0, 1, 1]], torch.ones(4, 1), torch.ones(2, 1))
    >>> model.fit(model.zeros(), factor=1.0).coefficients.abs().sum(1).round(decimals=2)
    tensor([1.1000, 0.0000])
    """

    inputs: Tensor
    labels: Tensor
    weights: Tensor
    penalty: Tensor
    tolerance: float = 1e-2
    max_iter: int = 300

    def zeros(self) -> Fit:
        """Return a fit without columns."""
        n_columns, n_classes = self.inputs.shape[1], self.labels.shape[1]
        return Fit(self.inputs.new_zeros(n_columns, n_classes), self.inputs.new_zeros(n_classes))

    def fit(self, start: Fit, factor: float) -> Fit:
        """Fit with the penalties times a factor, starting from a similar fit."""
        penalty, n_left = factor * self.penalty, self.max_iter
        coefficients, intercepts = start
        while n_left > 0:
            residuals = self._residuals(self.inputs @ coefficients + intercepts)[0]
            slope = (self.inputs.T @ residuals).abs()
            used = (coefficients != 0).any(1)
            violated = (slope > (1 + self.tolerance) * penalty).any(1) & ~used
            if n_left < self.max_iter and not violated.any():
                break
            columns = (used | violated).nonzero()[:, 0]
            if not len(columns):
                break
            own = Fit(coefficients[columns], intercepts)
            own, n_steps = self._steps(self.inputs[:, columns], penalty[columns], own, n_left)
            coefficients, intercepts = coefficients.clone(), own.intercepts
            coefficients[columns] = own.coefficients
            n_left -= n_steps
        return Fit(coefficients, intercepts)

    def _residuals(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradient of the loss by the logits, and the loss. Shape: -> (N, C), ()."""
        log_sum = logits.logsumexp(1, keepdim=True)
        loss = self.weights * (log_sum - (logits * self.labels).sum(1, keepdim=True))
        return ((logits - log_sum).exp() - self.labels) * self.weights, loss.sum()

    def _steps(self, inputs: Tensor, penalty: Tensor, start: Fit, most: int) -> tuple[Fit, int]:
        """Return a fit to some columns, and the number of steps."""
        # The curvature of the loss is at most half of these.
        sizes = _largest_eigenvalue(inputs, self.weights), float(self.weights.sum())
        share, momentum = 0.1, 1.0
        last = ahead = start
        for number in range(1, most + 1):
            residuals, loss = self._residuals(inputs @ ahead.coefficients + ahead.intercepts)
            slope, slope_b = inputs.T @ residuals, residuals.sum(0)
            while True:
                curvature, curvature_b = (share * size for size in sizes)
                moved = ahead.coefficients - slope / curvature
                shrunk = (moved.abs() - penalty / curvature).clamp(min=0)
                new = Fit(moved.sign() * shrunk, ahead.intercepts - slope_b / curvature_b)
                change, change_b = (a - b for a, b in zip(new, ahead, strict=True))
                expected = (change * (slope + 0.5 * curvature * change)).sum()
                expected += (change_b * (slope_b + 0.5 * curvature_b * change_b)).sum()
                actual = self._residuals(inputs @ new.coefficients + new.intercepts)[1] - loss
                if share >= 1 or actual <= expected + 1e-12 * loss:
                    break
                share *= _GROWTH
            small = (curvature * change.abs() <= self.tolerance * penalty).all()
            small &= (curvature_b * change_b.abs() <= self.tolerance * penalty.min()).all()
            if bool(small):
                return new, number
            step, step_b = (a - b for a, b in zip(new, last, strict=True))
            uphill = curvature * (change * step).sum() + curvature_b * (change_b * step_b).sum()
            later = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
            ratio = 0.0 if uphill < 0 else (momentum - 1) / later
            momentum = 1.0 if uphill < 0 else later
            ahead = Fit(new.coefficients + ratio * step, new.intercepts + ratio * step_b)
            last = new
        return last, most


def _largest_eigenvalue(inputs: Tensor, weights: Tensor) -> float:
    """Return the largest eigenvalue of Xᵀ W X, approximately."""
    direction = torch.ones_like(inputs[0]) + 0.1 * torch.arange(inputs.shape[1]).to(inputs) % 1
    length = direction.norm()
    for _ in range(_POWER_STEPS):
        direction = inputs.T @ (weights[:, 0] * (inputs @ (direction / length)))
        length = direction.norm().clamp(min=1e-300)
    return float(length)
