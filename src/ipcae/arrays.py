"""Types of NumPy arrays, and a division that is defined everywhere."""

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
