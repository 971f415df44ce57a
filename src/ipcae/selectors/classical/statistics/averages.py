"""Averages of the rows of every group, and whether groups are the observations."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import indicators
from ipcae.selectors.classical.statistics.unexplained import unexplained
from ipcae.tables.dependence.between_groups import share_between

LEAST_OF_CLASSES, LEAST_OF_NUMBERS = 0.5, 0.75
"""Shares of the variance of targets between groups, from which on rows repeat an observation."""

LEAST_EFFECT = 3.0
"""Design effect of the columns, from which on single rows are misleading."""

_TINY = 1e-24


def averages(table: Floats, groups: Integers, weights: Floats | None = None) -> Floats:
    """Return the mean of the rows of every group, in the order of the groups.

    Shape: table (N, D), groups (N,) with numbers from 0, weights (N,) -> (G, D).

    >>> averages(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]))
    array([[2.],
           [5.]])
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    if weights is None:
        sizes = np.diff(starts, append=len(groups))[:, None]
        return np.asarray(np.add.reduceat(table[order], starts, axis=0) / sizes)
    total = np.add.reduceat(weights[order], starts)[:, None]
    total = np.maximum(total, _TINY)  # groups without weight have the average 0
    return np.asarray(np.add.reduceat((table * weights[:, None])[order], starts, axis=0) / total)


def mean_share_between(table: Floats, groups: Integers) -> float:
    """Return the share of the variance that is between groups, the mean of all varying columns.

    Shape: table (N, D), groups (N,).

    >>> x = np.array([[1.0], [1.0], [3.0], [3.0], [9.0]])
    >>> mean_share_between(x, np.array([5, 5, 6, 6, 7]))
    1.0
    """
    varying = table[:, table.var(0) > _TINY]
    codes = np.unique(groups, return_inverse=True)[1]
    return float(share_between(varying, codes).mean()) if varying.size else 0.0


def repeated(inputs: Floats, targets: Floats, groups: Integers, discrete: bool) -> bool:
    """Return whether the rows of a group repeat an observation instead of being observations.

    That is, whether they have nearly the same targets, and share much of what these do not explain
    of the columns: with the share ρ and m rows per group, the mean of a column is as uncertain as
    that of N / (1 + (m − 1) ρ) independent rows; the denominator is the design effect. Single rows
    are then misleading: a few of the columns that differ from group to group are correlated with
    the targets of these groups by chance.

    Shape: inputs (N, D), targets (N, T), groups (N,).

    >>> random, person = np.random.default_rng(0), np.repeat(np.arange(20), 5)
    >>> own = 2 * random.normal(size=(20, 8))[person] + random.normal(size=(100, 8))
    >>> repeated(own, (person % 2.0)[:, None], person, discrete=True)
    True
    >>> repeated(own, random.integers(2, size=(100, 1)) * 1.0, person, discrete=True)
    False
    """
    n_groups = len(np.unique(groups))
    if n_groups in (1, len(groups)):
        return False
    if discrete and targets.shape[1] == 1:
        classes = np.unique(targets[:, 0], return_inverse=True)[1]
        targets = indicators(classes)
    if mean_share_between(targets, groups) < (LEAST_OF_CLASSES if discrete else LEAST_OF_NUMBERS):
        return False
    share = mean_share_between(unexplained(inputs, targets), groups)
    return 1 + (len(groups) / n_groups - 1) * share >= LEAST_EFFECT
