"""Types of NumPy arrays, a division that is defined everywhere, and random samples of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


def quotient(numerator: Any, denominator: NDArray[Any], otherwise: float = 0.0) -> Floats:
    """Divide where the denominator is positive, and return another value elsewhere.

    >>> quotient(np.array([3.0, 1.0]), np.array([2.0, 0.0]))
    array([1.5, 0. ])
    """
    shape = np.broadcast_shapes(np.shape(numerator), denominator.shape)
    return np.divide(numerator, denominator, out=np.full(shape, otherwise), where=denominator > 0)


def sample_of(rows: Integers, most: int, seed: int) -> Integers:
    """Return the rows or, if there are too many, a random sample in ascending order.

    >>> sample_of(np.arange(10), most=3, seed=0)
    array([5, 6, 9])
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
