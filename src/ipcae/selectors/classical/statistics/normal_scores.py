"""Normal scores of skewed columns, such as counts, concentrations and incomes."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ipcae.arrays import Booleans, Floats
from ipcae.ridge import standardized

SKEWNESS, KURTOSIS = 1.0, 3.0
"""Moments of a column, the second in excess of a normal one: beyond either, it is skewed."""

_BLOCK = 2**20  # values at a time


def with_normal_scores(inputs: Floats) -> Floats:
    """Replace the values of skewed columns by normal scores, with the same standard deviation.

    The normal score of the value with rank r among N is the quantile (r − 3/8) / (N + 1/4) of a
    standard normal distribution (Blom, 1958). Equal values have equal scores. A column is skewed,
    or has heavy tails, if its skewness is beyond ±1 or its excess kurtosis above 3. Columns of two
    values are left as they are.

    Shape: (N, D) -> (N, D), the same array if no column is skewed.

    >>> counts = np.array([[0.0], [1.0], [1.0], [2.0], [100.0]])
    >>> standardized(with_normal_scores(counts)).ravel().round(1)
    array([-1.5, -0.3, -0.3,  0.6,  1.5])
    """
    skewed = np.flatnonzero(is_skewed(inputs))
    if not len(skewed):
        return inputs
    scores = inputs.copy()
    n_rows = len(inputs)
    for columns in np.array_split(skewed, 1 + len(skewed) * n_rows // _BLOCK):
        values = inputs[:, columns]
        ranks = rankdata(values, axis=0)
        normal = standardized(ndtri((ranks - 0.375) / (n_rows + 0.25)))
        scores[:, columns] = values.mean(0) + values.std(0) * normal
    return scores


def is_skewed(inputs: Floats) -> Booleans:
    """Return which columns are skewed or have heavy tails. Shape: (N, D) -> (D,).

    >>> is_skewed(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 1000.0]]))
    array([False,  True])
    """
    skewed = np.zeros(inputs.shape[1], dtype=np.bool_)
    for columns in np.array_split(np.arange(len(skewed)), 1 + inputs.size // _BLOCK):
        values = inputs[:, columns]
        normal = standardized(values)
        squares = np.square(normal)
        third, fourth = (squares * normal).mean(0), np.square(squares).mean(0)
        several = ((values != values.min(0)) & (values != values.max(0))).any(0)
        skewed[columns] = several & ((np.abs(third) > SKEWNESS) | (fourth - 3 > KURTOSIS))
    return skewed
