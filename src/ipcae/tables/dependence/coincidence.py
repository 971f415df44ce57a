"""How many rows would be equal by chance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

TIMES = 3
"""Rows are copies of others if so many times as many pairs are equal as by chance."""


def pairs_by_chance(n_rows: int, columns: Iterable[NDArray[Any]]) -> float:
    """Return how many pairs of rows would be equal if the columns were independent.

    ``columns`` has, for every column, how often each of its values occurs.

    >>> import numpy as np
    >>> pairs_by_chance(4, [np.array([2, 2]), np.array([3, 1])])
    1.0
    """
    expected = n_pairs = n_rows * (n_rows - 1) / 2
    for counts in columns:
        expected *= float((counts * (counts - 1) / 2).sum()) / n_pairs
        if expected < 1:
            break
    return expected
