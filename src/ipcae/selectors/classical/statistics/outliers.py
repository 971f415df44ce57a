"""Clip extreme outliers to the range of the other values in their column."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats, Integers

SUSPECT = 6.0
"""Standard deviations from the mean: a column without a value beyond is left as it is."""
FENCE = 2.0
"""Times the range from the 5 % to the 95 % quantile, beyond them."""
FEWEST = 20
"""Number of values that quantiles need."""


def without_far_outliers(inputs: Floats) -> Floats:
    """Clip columns whose variance is mostly that of a few values far from all others.

    The columns are inputs, or targets that are numbers.

    A misplaced decimal point, or a distribution with infinite variance, hides the other values of a
    column from every method that uses squares. Values are clipped to the range of the 5 % to the 95
    % quantile, extended by twice its width on both sides, in columns where this removes more than
    half of the variance. Quantiles are those of the values that differ from the median, which may
    be the zeros of counts or the black of pixels: a value is not an outlier merely because it is
    rare.

    Shape: (N, D) -> (N, D), the same array if nothing is clipped.

    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> x[7] = 1e6
    >>> round(float(without_far_outliers(x).max()), 1)
    4.6
    >>> counts = np.zeros((2000, 1))
    >>> counts[:30] = 1
    >>> without_far_outliers(counts) is counts
    True
    """
    clipped = inputs
    for column in _suspects(inputs):
        values = inputs[:, column]
        median = np.median(values)
        others = values[values != median]
        if len(others) < FEWEST:
            continue
        low, high = np.quantile(others, [0.05, 0.95])
        low, high = min(low, median), max(high, median)
        width = FENCE * (high - low)
        inside = values.clip(low - width, high + width)
        if inside.var() < values.var() / 2:
            if clipped is inputs:
                clipped = inputs.copy()
            clipped[:, column] = inside
    return clipped


def _suspects(inputs: Floats) -> Integers:
    """Return the columns with a value that is far from the mean."""
    if len(inputs) < FEWEST:
        return np.array([], dtype=np.int64)
    mean = inputs.mean(0)
    farthest = np.maximum(inputs.max(0) - mean, mean - inputs.min(0))
    return np.flatnonzero(farthest > SUSPECT * inputs.std(0))


def far_outliers(column: Floats) -> Floats:
    """Return the values of a column that :func:`without_far_outliers` clips. Shape: (N,) -> (n,).

    >>> far_outliers(np.array([1e6, *range(50)]))
    array([1000000.])
    """
    unit = np.abs(column).max(initial=0) or 1.0  # squares of large numbers overflow
    scaled = (column / unit)[:, None]
    return column[(without_far_outliers(scaled) != scaled)[:, 0]]
