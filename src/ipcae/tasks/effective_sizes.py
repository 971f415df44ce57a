"""The number of rows of which a proportion has the same error as a metric between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans

PER_EVENT = 3.0
"""A concordance index is worth at most this number of rows per event, in simulations."""


def size_of_mean_recall(members: Booleans) -> float:
    """Return the size of the mean recall of the classes that have rows. Shape: members (N, C).

    Classes of equal size are worth all their rows; otherwise, the rarest matter most.

    >>> size_of_mean_recall(np.arange(100)[:, None] % 2 == [0, 1])
    100.0
    >>> round(size_of_mean_recall((np.arange(100)[:, None] < 5) == [True, False]))
    19
    """
    counts = members.sum(0)
    return _size_of_mean(counts[counts > 0].astype(np.float64))


def size_of_mean_auc(members: Booleans) -> float:
    """Return the size of the mean ROC AUC of each class against the rest. Shape: members (N, C).

    The variance of an area A near 1 with m and n rows is A (1 - A) (m + n + 2) / (4 m n) if the
    scores have exponential distributions (Hanley and McNeil, 1982, as modified by Newcombe, 2006).

    >>> round(size_of_mean_auc(np.arange(100)[:, None] < 50))
    98
    >>> round(size_of_mean_auc(np.arange(100)[:, None] < 5))
    19
    """
    inside = members.sum(0).astype(np.float64)
    outside = len(members) - inside
    sizes = 4 * inside * outside / (len(members) + 2)
    return _size_of_mean(sizes[sizes > 0])


def _size_of_mean(sizes: NDArray[Any]) -> float:
    """Return the size of the mean of independent proportions, infinite for none."""
    return float(len(sizes) ** 2 / np.sum(1 / sizes)) if len(sizes) else float("inf")
