"""Rows that are repeated, whose copies may be both learned from and held out."""

from __future__ import annotations

from typing import Any

import pandas as pd

MOST_VALUES = 20_000_000
"""Larger tables are not searched, which would take seconds."""
_SHARE = 0.01
_TIMES = 3


def count_repeated(X: pd.DataFrame, y: Any = None) -> int:
    """Return how many rows repeat an earlier one, 0 if they are few or that may be a coincidence.

    More than one in a hundred are not few. It is no coincidence if a column has a value of its own
    in at least half of the different rows, and if many more rows agree than if the columns, such
    as rounded numbers, were independent.

    >>> rows = pd.DataFrame({"age": range(20, 40), "height": range(150, 170)})
    >>> count_repeated(pd.concat([rows, rows[:2]]))
    2
    >>> count_repeated(pd.concat([rows, rows[:2]])[["age"]].assign(smoker=0))
    0
    """
    if X.size > MOST_VALUES:
        return 0
    rows = X if y is None else pd.concat([X, pd.DataFrame(y)], axis=1)
    repeated = rows.duplicated().to_numpy()
    different = X[~repeated]
    if not repeated.any() or different.nunique().max() <= len(different) / 2 + 1:
        return 0
    n_repeated = int(repeated.sum())
    few = n_repeated <= max(_SHARE * len(X), 1)
    return 0 if few or n_repeated < _TIMES * _pairs_by_chance(X) else n_repeated


def _pairs_by_chance(X: pd.DataFrame) -> float:
    """Return how many pairs of rows would be equal if the columns were independent.

    >>> _pairs_by_chance(pd.DataFrame({"a": [1, 1, 2, 2], "b": [0, 0, 0, 1]}))
    1.0
    """
    n_pairs = len(X) * (len(X) - 1) / 2
    expected = n_pairs
    for name in X.columns:
        counts = X[name].value_counts(dropna=False)
        expected *= float((counts * (counts - 1) / 2).sum()) / n_pairs
        if expected < 1:
            break
    return expected
