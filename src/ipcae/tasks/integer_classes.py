"""Whether integers in a target are classes or amounts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_CLASSES = 30
"""Integers with more distinct values than this are amounts, not classes."""
MIN_ROWS_PER_CLASS = 10
"""Integers with fewer rows per distinct value than this are amounts."""
_FEWEST_ROWS = 5  # fewer are too few for the evaluation of a class


def are_classes(values: NDArray[np.number]) -> bool:
    """Return whether integers seem to be classes.

    They are if there are two, or few with many rows each. Counts of rare events are not: most are
    the smallest value, every next one is rarer, and the last is too rare to be a class; or some
    values between the smallest and the largest never occur, and others only once.

    >>> are_classes(np.array([3, 7, 3])), are_classes(np.arange(500) % 9)
    (True, True)
    >>> are_classes(np.arange(5000) % 60), are_classes(np.array([0] * 80 + [1] * 12 + [2, 5]))
    (False, False)
    >>> claims = np.repeat(np.arange(5), [1656, 275, 57, 10, 2])
    >>> are_classes(claims), are_classes(claims[claims < 4])
    (False, True)
    """
    distinct, counts = np.unique(values, return_counts=True)
    n_values = len(distinct)
    if n_values <= 2:
        return True
    if counts.min() == 1 and distinct[-1] - distinct[0] >= n_values:
        return False
    rarer = n_values > 3 and counts[0] > len(values) / 2 and bool((np.diff(counts) <= 0).all())
    if rarer and counts[-1] < _FEWEST_ROWS:
        return False
    return n_values <= MAX_CLASSES and n_values * MIN_ROWS_PER_CLASS <= len(values)
