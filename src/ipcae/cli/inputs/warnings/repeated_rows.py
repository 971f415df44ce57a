"""Warn of rows that are repeated, whose copies may be both learned from and held out."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ipcae.cli.messages import Messages

MOST_VALUES = 20_000_000
"""Larger tables are not searched, which would take seconds."""
_SHARE = 0.01


def count_repeated(X: pd.DataFrame, y: Any = None) -> int:
    """Return how many rows repeat an earlier one, 0 if that may be a coincidence.

    It is none if a column has a value of its own in at least half of the different rows.

    >>> rows = pd.DataFrame({"age": [31, 54, 31, 54], "height": [1.71, 1.8, 1.71, 1.82]})
    >>> count_repeated(rows)
    1
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
    return int(repeated.sum())


def warn_of_repeated_rows(X: pd.DataFrame, y: Any, messages: Messages) -> None:
    """Warn if more than one in a hundred rows repeat an earlier one."""
    n_repeated = count_repeated(X, y)
    if n_repeated > max(_SHARE * len(X), 1):
        messages.warn(
            f"{n_repeated:,} of {len(X):,} rows repeat an earlier row: held-out rows may be copies "
            "of training rows, which makes results look better than they are. Remove the copies."
        )
