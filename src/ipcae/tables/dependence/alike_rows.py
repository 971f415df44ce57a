"""A column of which rows with the same value are alike, such as several rows of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.tables.dependence.between_groups import alike_given_target, codes_of

_FEWEST_GROUPS, _TYPICAL_ROWS = 20, 2  # rows per group, in the median
_SHARE = 0.25  # of the columns
_SMOOTH = 0.5  # correlation of successive groups
_MOST_VALUES, _MOST_COLUMNS = 20_000_000, 300


def column_of_alike_rows(X: pd.DataFrame, coded: Floats, y: Any) -> str | None:
    """Return a column whose rows of the same value are alike in the target and in many columns.

    The column has text or whole numbers, and at least twenty values, of which most are repeated. A
    number with which the target rises, such as an age, is no group.

    >>> random = np.random.default_rng(0)
    >>> sample = random.permutation(120) // 3
    >>> values = random.normal(size=(40, 5))[sample] + random.normal(scale=0.2, size=(120, 5))
    >>> column_of_alike_rows(pd.DataFrame({"sample": sample}), values[:, 1:], values[:, 0])
    'sample'
    """
    if X.size > _MOST_VALUES or np.ndim(y) != 1:
        return None
    target = codes_of(np.asarray(y))
    for name in X.columns[:_MOST_COLUMNS]:
        groups = _groups(X[name])
        if groups is None or _is_smooth(target, groups):
            continue
        if alike_given_target(coded, y, groups, share=_SHARE):
            return str(name)
    return None


def _groups(column: pd.Series) -> Integers | None:
    """Return the group of every row by value, in the order of the values, or None."""
    if column.isna().any() or (column.dtype.kind == "f" and (column % 1 != 0).any()):
        return None
    try:
        groups, values = pd.factorize(column, sort=True)
    except TypeError:  # lists or the like, in a column that is not used
        return None
    if len(values) < _FEWEST_GROUPS or np.median(np.bincount(groups)) < _TYPICAL_ROWS:
        return None
    return groups


def _is_smooth(target: Floats, groups: NDArray[np.int64]) -> bool:
    """Return whether the means of successive groups are alike."""
    means = np.bincount(groups, target) / np.bincount(groups)
    if np.ptp(means[1:]) == 0 or np.ptp(means[:-1]) == 0:
        return True
    return bool(np.corrcoef(means[1:], means[:-1])[0, 1] > _SMOOTH)
