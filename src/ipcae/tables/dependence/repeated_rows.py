"""Rows that are repeated, whose copies may be both learned from and held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.tables.dependence.coincidence import TIMES, pairs_by_chance

MOST_VALUES = 20_000_000
"""Larger tables are not searched, which would take seconds."""
_SHARE = 0.01
_FEW = 8
"""Number of columns: rows that differ in the first of them are not compared in all, of which there
may be thousands."""


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
    repeated = repeated_rows(rows)
    different = X[~repeated]
    if not repeated.any() or different.nunique().max() <= len(different) / 2 + 1:
        return 0
    n_repeated = int(repeated.sum())
    few = n_repeated <= max(_SHARE * len(X), 1)
    counts = (X[name].value_counts(dropna=False).to_numpy() for name in X.columns)
    return 0 if few or n_repeated < TIMES * pairs_by_chance(len(X), counts) else n_repeated


def repeated_rows(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether a row repeats an earlier one. Shape: -> (N,).

    >>> repeated_rows(pd.DataFrame({"age": [31, 54, 31], "height": [170, 180, 170]}))
    array([False, False,  True])
    """
    repeated = np.zeros(len(rows), dtype=bool)
    alike = np.flatnonzero(rows.iloc[:, :_FEW].duplicated(keep=False))
    if len(alike):
        repeated[alike] = rows.iloc[alike].duplicated()
    return repeated
