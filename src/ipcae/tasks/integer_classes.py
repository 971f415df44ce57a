"""Whether integers in a target are classes or amounts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_CLASSES = 30
"""Integers with more distinct values than this are amounts, not classes."""
MIN_ROWS_PER_CLASS = 10
"""Integers with fewer rows per distinct value than this are amounts."""


def are_classes(values: NDArray[np.number]) -> bool:
    """Return whether integers seem to be classes.

    They are if there are two, or few with many rows each. Counts of rare events are not: some
    values between the smallest and the largest never occur, and others only once.

    >>> are_classes(np.array([3, 7, 3])), are_classes(np.arange(500) % 9)
    (True, True)
    >>> are_classes(np.arange(5000) % 60), are_classes(np.array([0] * 80 + [1] * 12 + [2, 5]))
    (False, False)
    """
    distinct, counts = np.unique(values, return_counts=True)
    n_values = len(distinct)
    if n_values <= 2:
        return True
    if counts.min() == 1 and distinct[-1] - distinct[0] >= n_values:
        return False
    return n_values <= MAX_CLASSES and n_values * MIN_ROWS_PER_CLASS <= len(values)
