"""Ridge logistic regression, with what is needed to drop columns one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri
from scipy.special import expit, log_expit

from ipcae.arrays import Floats, Integers

N_STEPS = 4
"""Newton's method starts from the fit with more columns, so few steps are enough."""

TOLERANCE = 1e-3
"""A step that lowers the loss by less than this fraction is the last."""

_TINY = 1e-4
_SMALLEST_STEP = 0.05


class Basis(NamedTuple):
    """X = L Qᵀ, where Q has orthonormal columns. Shape: rows (N, R); columns (D, R)."""

    rows: Floats
    columns: Floats


def row_space(inputs: Floats) -> Basis:
    """Return a basis of the rows, for tables with more columns than rows. Shape: (N, D).

    >>> x = np.random.default_rng(0).normal(size=(3, 8))
    >>> rows, columns = row_space(x)
    >>> rows.shape, np.allclose(rows @ columns.T, x)
    ((3, 3), True)
    """
    values, vectors = np.linalg.eigh(inputs @ inputs.T)
    kept = values > 1e-10 * max(values[-1], 1e-300)
    vectors, size = vectors[:, kept], np.sqrt(values[kept])
    return Basis(vectors * size, inputs.T @ vectors / size)


@dataclass(frozen=True)
class RidgeLogistic:
    """The minimum of Σ_i r_i log(1 + exp(−±(x_i w + b))) + ½ λ ‖w‖², for targets of zero and one.

    ``diagonal`` is that of the inverse Hessian of w, and ``inverse`` the whole of it, unless there
    are more columns than rows.

    Shape: target, row_weights (N,); weights, diagonal (D,); inverse (D, D) or None.
    """

    target: Floats
    row_weights: Floats
    weights: Floats
    bias: float
    diagonal: Floats
    inverse: Floats | None

    @classmethod
    def without_columns(cls, target: Floats, row_weights: Floats, n_columns: int) -> RidgeLogistic:
        """Return the model that predicts the share of ones."""
        share = np.clip(np.average(target, weights=row_weights), _TINY, 1 - _TINY)
        bias = float(np.log(share / (1 - share)))
        return cls(target, row_weights, np.zeros(n_columns), bias, np.ones(n_columns), None)

    def fitted(self, inputs: Floats, penalty: float, basis: Basis | None) -> RidgeLogistic:
        """Return the model fitted to inputs, whose basis is given if it is smaller."""
        if basis is None:
            weights, bias, inverse = self._newton(inputs, self.weights, penalty)
            return replace(
                self, weights=weights, bias=bias, diagonal=np.diag(inverse), inverse=inverse
            )
        rows, columns = basis
        weights, bias, inverse = self._newton(rows, columns.T @ self.weights, penalty)
        outside = np.maximum(1 - np.square(columns).sum(1), 0) / penalty
        diagonal = outside + np.einsum("dr,dr->d", columns @ inverse, columns)
        return replace(self, weights=columns @ weights, bias=bias, diagonal=diagonal, inverse=None)

    def rises(self) -> Floats:
        """Return twice the increase of the loss without each column. Shape: -> (D,)."""
        return np.square(self.weights) / np.maximum(self.diagonal, 1e-300)

    def without(self, out: Integers, kept: Integers) -> RidgeLogistic:
        """Return the model without some columns; if the inverse is known, refitted to the others.

        The refit uses the quadratic approximation of the loss.
        """
        if self.inverse is None:
            return replace(self, weights=self.weights[kept], diagonal=self.diagonal[kept])
        across = self.inverse[np.ix_(kept, out)] @ np.linalg.inv(self.inverse[np.ix_(out, out)])
        inverse = self.inverse[np.ix_(kept, kept)] - across @ self.inverse[np.ix_(out, kept)]
        weights = self.weights[kept] - across @ self.weights[out]
        return replace(self, weights=weights, diagonal=np.diag(inverse), inverse=inverse)

    def _newton(
        self, inputs: Floats, weights: Floats, penalty: float
    ) -> tuple[Floats, float, Floats]:
        """Return the weights, the bias, and the inverse Hessian of the weights given the bias."""
        bias, target, importance = self.bias, self.target, self.row_weights

        def loss(scores: Floats, weights: Floats) -> float:
            of_rows = log_expit(np.where(target > 0, scores, -scores))
            return float(0.5 * penalty * weights @ weights - importance @ of_rows)

        for _ in range(N_STEPS):
            scores = inputs @ weights + bias
            share = expit(scores)
            curvature = importance * np.maximum(share * (1 - share), _TINY)
            means = curvature @ inputs / curvature.sum()
            root = np.sqrt(curvature)
            centered = (inputs - means) * root[:, None]
            hessian = centered.T @ centered  # one triangle is computed, and mirrored
            hessian[np.diag_indices_from(hessian)] += penalty
            factor = cholesky(hessian, check_finite=False, overwrite_a=True)
            working = scores + importance * (target - share) / curvature
            middle = float(curvature @ working / curvature.sum())
            left = root * (working - middle) - centered @ weights
            downhill = centered.T @ left - penalty * weights
            step = cho_solve((factor, False), downhill, check_finite=False)
            change = middle - float(means @ (weights + step)) - bias
            before, size = loss(scores, weights), 1.0
            moved = inputs @ step + change
            while loss(scores + size * moved, weights + size * step) > before:
                size /= 2
                if size < _SMALLEST_STEP:
                    return weights, bias, _inverse(factor)
            weights, bias = weights + size * step, bias + size * change
            if step @ downhill < TOLERANCE * before:
                break
        return weights, bias, _inverse(factor)


def _inverse(factor: Floats) -> Floats:
    """Return the inverse of UᵀU. Shape: (D, D), upper triangle -> (D, D)."""
    upper = dpotri(factor)[0]
    upper = np.triu(upper)
    return upper + np.triu(upper, 1).T
