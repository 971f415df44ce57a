"""Add columns to a linear regression of all columns, each the one that explains most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipcae.arrays import Floats

_SHORTEST = 1e-10  # a residual that is shorter, relative to the longest column, is rounding error
BELOW = 0.999
"""Scores of columns that are not added are below this share of those of the others."""


class ColumnResiduals:
    """What a linear regression on the columns added so far leaves of all columns of a table.

    With the residuals R, column d would explain ‖Rᵀ r_d‖² / ‖r_d‖² of their sum of squares. Adding
    a column changes both squares by products of vectors: neither R nor a D × D matrix is formed.

    Shape: inputs (N, D), centered.

    >>> left = ColumnResiduals(np.diag([1.0, 2.0, 3.0]))
    >>> left.add(2)
    >>> left.gains()
    array([1., 4., 0.])
    """

    def __init__(self, inputs: Floats):
        self._inputs = inputs
        self._lengths, self._products = np.square(inputs).sum(0), squared_products(inputs)
        self._smallest = _SHORTEST * max(float(self._lengths.max(initial=0.0)), 1e-280)
        self._directions = np.zeros((0, inputs.shape[1]))

    def gains(self) -> Floats:
        """Return what every column would explain in addition. Shape: -> (D,)."""
        varies = self._lengths > self._smallest
        return np.divide(
            self._products, self._lengths, out=np.zeros_like(self._products), where=varies
        )

    def add(self, column: int) -> None:
        """Remove what a column explains from the residuals."""
        inputs, known = self._inputs, self._directions
        shared = inputs.T @ inputs[:, column] - known.T @ known[:, column]
        direction = shared / np.sqrt(max(float(shared[column]), self._smallest))
        product = inputs.T @ (inputs @ direction) - known.T @ (known @ direction)
        products = self._products - 2 * direction * product
        self._products = np.maximum(products + direction @ direction * direction**2, 0)
        self._lengths = np.maximum(self._lengths - direction**2, 0)
        self._directions = np.vstack([known, direction])


def add_one_by_one(
    gains: Callable[[], Floats], add: Callable[[list[int]], None], n_selected: int
) -> tuple[list[int], Floats]:
    """Add up to K columns, each the one with the largest gain; return them and their scores.

    ``add`` gets all columns added so far, the last one new. The score of a column is its gain when
    it was added; others have what they would gain next, but less than those added. Shape: -> K
    columns, (D,).
    """
    added: list[int] = []
    gain = gains()
    scores, limit = np.zeros(len(gain)), np.inf
    for _ in range(n_selected):
        best = int(gain.argmax())
        if gain[best] <= 0:
            break
        limit = scores[best] = min(float(gain[best]), limit)
        added.append(best)
        add(added)
        gain = gains()
        gain[added] = 0
    return added, np.where(scores > 0, scores, np.minimum(gain, BELOW * min(limit, 1e300)))


def squared_products(inputs: Floats) -> Floats:
    """Return ‖Xᵀ x_d‖². Shape: (N, D) -> (D,)."""
    n_rows, n_columns = inputs.shape
    if n_columns > n_rows:
        return np.asarray((inputs @ inputs.T @ inputs * inputs).sum(0))
    return np.asarray(np.square(inputs.T @ inputs).sum(0))
