"""Ranks of rows, for measures of association that do not depend on units or outliers."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ipcae.arrays import Booleans, Floats, quotient


def standard_ranks(values: Floats) -> Floats:
    """Return the ranks within every column, with mean 0 and variance 1. Shape: (N, Q) -> (N, Q).

    The product of two columns of ranks, divided by N, is Spearman's correlation. A constant
    column has ranks of 0.

    >>> standard_ranks(np.array([[10.0, 5.0], [1000.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    ranks = rankdata(values, axis=0)
    ranks -= ranks.mean(0)
    return quotient(ranks, ranks.std(0))


def membership_scores(members: Booleans) -> Floats:
    """Return scores whose products with ranks add up to areas under ROC curves.

    The area of a class is divided by its standard deviation without an association, so that classes
    of few rows do not dominate the sum: a member of a class counts one over the root of the number
    of pairs of a member and another row. A class of all rows or of none counts nothing.

    Shape: (N, C) -> (N, C).

    >>> membership_scores(np.array([[True], [False], [False], [False], [False]])).ravel()
    array([0.5, 0. , 0. , 0. , 0. ])
    """
    inside = members.sum(0)
    pairs = inside * (len(members) - inside)
    return members * quotient(1.0, np.sqrt(pairs))
