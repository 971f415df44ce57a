"""The share of the variance of columns that is between groups of rows, also given a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers, quotient

CERTAIN = 5.0
"""Standard deviations of a share or a correlation, for independent rows, that are no chance."""
_MOST_COLUMNS, _MOST_TARGETS, _MOST_CLASSES = 1000, 10, 10
_SIMILAR_ROWS = 20  # rows of a similar target, whose mean is subtracted
_ALIKE = 0.6  # share of the variance of alike rows


def share_between(values: Floats, groups: Integers) -> Floats:
    """Return the share of the variance of every column between groups. Shape: (N, D) -> (D,).

    It is 1 − the variance within groups / the total variance, both without bias, so that it is
    about 0 if groups do not matter, whatever their size, and 1 if rows of a group are the same.

    >>> x = np.array([[1.0, 1.0], [1.0, 2.0], [3.0, 1.0], [3.0, 2.0], [9.0, 1.5]])
    >>> share_between(x, np.array([0, 0, 1, 1, 2]))
    array([ 1., -1.])
    """
    center = np.nan_to_num(values - column_means(values))
    order, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    sums = np.add.reduceat(center[order], np.cumsum(sizes) - sizes)
    squares = np.square(center).sum(0)
    inside = (squares - (np.square(sums) / sizes[:, None]).sum(0)) / (len(values) - len(sizes))
    spread = squares / (len(values) - 1)
    return 1 - quotient(inside, spread, 1.0)


def share_by_chance(n_rows: int, n_groups: int) -> float:
    """Return the share between groups that independent rows hardly ever exceed.

    That is five standard deviations of the share.
    """
    return float(CERTAIN * np.sqrt(2 * (n_groups - 1)) / n_rows)


def alike_given_target(
    columns: Floats, target: Any, groups: Integers, *, share: float = 0.0
) -> bool:
    """Return whether rows of a group are alike, in a target and in more than a share of columns."""
    some = spaced_columns(columns)
    enough = max(_ALIKE, CERTAIN / np.sqrt(len(groups)))
    return any(
        share_between(codes[:, None], groups)[0] > enough
        and bool((share_between(given_target(some, codes), groups) > enough).mean() > share)
        for codes in map(codes_of, single_targets(target))
    )


def codes_of(target: NDArray[Any]) -> Floats:
    """Return the numbers of the values in ascending order. Shape: (N,) -> (N,)."""
    try:
        return np.unique(target, return_inverse=True)[1].astype(float)
    except TypeError:  # values of several types
        return np.unique(target.astype(str), return_inverse=True)[1].astype(float)


def classes_of(codes: Floats) -> Floats:
    """Return up to ten classes as columns, and other targets as one. Shape: (N,) -> (N, C)."""
    classes = np.unique(codes)
    several = codes[:, None]
    return several if len(classes) > _MOST_CLASSES else (several == classes).astype(float)


def given_target(columns: Floats, codes: Floats) -> Floats:
    """Return the differences from the mean of rows of a similar target. Shape: (N, D) -> (N, D)."""
    width = min(_SIMILAR_ROWS, len(codes))
    filled = np.where(np.isfinite(columns), columns, column_means(columns))
    order = np.random.default_rng(0).permutation(len(codes))  # of rows with the same target
    order = order[np.argsort(codes[order], kind="stable")]
    sums = np.concatenate([np.zeros((1, filled.shape[1])), filled[order].cumsum(0)])
    first = np.clip(np.arange(len(codes)) - width // 2, 0, len(codes) - width)
    means = np.empty_like(filled)
    means[order] = (sums[first + width] - sums[first]) / width
    return filled - means


def column_means(values: Floats, axis: int = 0) -> Floats:
    """Return the means of finite values, 0 if there are none; the axis is kept."""
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis, keepdims=True)
    return total / np.maximum(known.sum(axis, keepdims=True), 1)


def spaced_columns(columns: Floats, most: int = _MOST_COLUMNS) -> Floats:
    """Return at most so many columns, equally spaced. Shape: (N, D) -> (N, D')."""
    return columns[:, :: max(-(-columns.shape[1] // most), 1)]


def single_targets(target: Any) -> NDArray[Any]:
    """Return up to ten targets one by one. Shape: (N, ...) -> (T, N)."""
    targets = np.asarray(target)
    return targets.reshape(len(targets), -1)[:, :_MOST_TARGETS].T
