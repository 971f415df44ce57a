"""Blocks of rows that may depend on each other, such as those of the same person or minute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Integers

N_BLOCKS = 20
"""Number of blocks of consecutive rows whose correlations are compared."""


def consecutive_blocks(classes: NDArray[Any], n_blocks: int = N_BLOCKS) -> Integers:
    """Return the block of every row, such that blocks have the same shares of all classes.

    The rows of every class are divided into blocks in their order, so that a table that is sorted
    by its classes does not appear to have dependent rows.

    Shape: classes (N,) -> (N,).

    >>> consecutive_blocks(np.array(["a", "b", "b", "a", "a", "a"]), n_blocks=2)
    array([0, 0, 1, 0, 1, 1])
    """
    blocks = np.empty(len(classes), dtype=np.int64)
    for label in np.unique(classes):
        rows = np.flatnonzero(classes == label)
        blocks[rows] = np.arange(len(rows)) * n_blocks // len(rows)
    return blocks
