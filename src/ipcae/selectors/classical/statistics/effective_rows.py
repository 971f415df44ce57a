"""The effective number of independent rows in grouped data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats
from ipcae.ridge import standardized

MOST_COLUMNS = 300
"""Number of columns from which the answer is estimated, equally spaced."""


def effective_rows(inputs: NDArray[Any], groups: NDArray[Any]) -> int:
    """Return the number of independent rows whose correlations would be as uncertain as these.

    It is N divided by the design effect: the sampling variance of the columns' correlation matrix,
    estimated from its differences between groups, over the variance if all rows were independent.
    Missing values are replaced by the means of their columns.

    Shape: inputs (N, D); groups (N,).

    >>> random = np.random.default_rng(0)
    >>> people = np.repeat(np.arange(20), 50)
    >>> effective_rows(random.normal(size=(1000, 5)), people)  # the rows are independent
    956
    >>> own = random.normal(size=(20, 5))[people]  # the rows of a person repeat each other
    >>> effective_rows(own + 0.1 * random.normal(size=(1000, 5)), people)
    21
    """
    n_rows, n_columns = inputs.shape
    columns = np.linspace(0, n_columns - 1, min(n_columns, MOST_COLUMNS)).astype(int)
    z = standardized(filled(np.array(inputs[:, columns], dtype=np.float64)))
    codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    square = np.square(z.T @ z).sum()
    independent = np.square(np.square(z).sum(1)).sum() - square / n_rows
    parts = np.split(z[np.argsort(codes, kind="stable")], np.cumsum(sizes)[:-1])
    between = sum(_squared_moments(part) for part in parts)
    between -= square * np.square(sizes / n_rows).sum()
    if len(sizes) < 2 or independent <= 0 or between <= independent:
        return n_rows
    return max(round(n_rows * independent / between), 1)


def filled(inputs: Floats) -> Floats:
    """Replace missing values by the means of their columns, in place.

    >>> filled(np.array([[1.0, 2.0], [np.nan, 4.0], [3.0, np.nan]]))[:, 0]
    array([1., 2., 3.])
    """
    missing = np.isnan(inputs)
    if missing.any():
        inputs[missing] = 0.0
        means = inputs.sum(0) / np.maximum((~missing).sum(0), 1)
        inputs[missing] = np.broadcast_to(means, inputs.shape)[missing]
    return inputs


def _squared_moments(rows: Floats) -> float:
    """Return ‖ZᵀZ‖², computed on the shorter side."""
    product = rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows
    return float(np.square(product).sum())
