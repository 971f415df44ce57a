"""Rows that are repeated, whose copies may be both learned from and held out."""

from __future__ import annotations

from typing import Any

import pandas as pd

MOST_VALUES = 20_000_000
"""Larger tables are not searched, which would take seconds."""
_SHARE = 0.01


def count_repeated(X: pd.DataFrame, y: Any = None) -> int:
    """Return how many rows repeat an earlier one, 0 if they are few or that may be a coincidence.

    More than one in a hundred are not few. It is no coincidence if a column has a value of its own
    in at least half of the different rows.

    >>> ages, heights = [31, 54, 31, 54, 31], [1.71, 1.8, 1.71, 1.82, 1.71]
    >>> rows = pd.DataFrame({"age": ages, "height": heights})
    >>> count_repeated(rows)
    2
    >>> count_repeated(rows[["age"]].assign(smoker=0))
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
    return n_repeated if n_repeated > max(_SHARE * len(X), 1) else 0
