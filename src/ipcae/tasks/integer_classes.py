"""Whether integers in a target are classes or amounts."""

from __future__ import annotations

MAX_CLASSES = 30
"""Integers with more distinct values than this are amounts, not classes."""
MIN_ROWS_PER_CLASS = 10
"""Integers with fewer rows per distinct value than this are amounts."""


def are_classes(n_values: int, n_rows: int) -> bool:
    """Return whether a number of distinct integers suggests classes.

    They are if there are two, or few with many rows each.

    >>> are_classes(2, n_rows=5), are_classes(9, n_rows=500), are_classes(60, n_rows=5_000)
    (True, True, False)
    """
    return n_values <= 2 or (n_values <= MAX_CLASSES and n_values * MIN_ROWS_PER_CLASS <= n_rows)
