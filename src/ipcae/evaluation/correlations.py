"""Correlations of columns."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats


def correlations(columns: Floats, others: Floats | None = None) -> Floats:
    """Return the absolute correlations of columns with each other, or with other columns.

    The correlation with a constant column is 0. Shape: (N, F), (N, G) -> (F, G).

    >>> correlations(np.array([[1.0, -2.0, 5.0], [2.0, -4.0, 5.0], [4.0, -8.0, 5.0]])).round(3)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]])
    """
    left = _standardized(columns)
    right = left if others is None else _standardized(others)
    return np.abs(left.T @ right)


def _standardized(columns: Floats) -> Floats:
    """Return the columns with mean 0 and norm 1; constant ones are 0."""
    centered = columns - columns.mean(0)
    norm = np.sqrt(np.square(centered).sum(0))
    return centered / np.where(norm > 0, norm, np.inf)
