"""Rows that are copies of others, of which one would be held out and another learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.tables.dependence.coincidence import TIMES, pairs_by_chance

FEW = 0.01
"""Share of rows that may be copies without being merged."""

_MIXER = np.uint64(0xBF58476D1CE4E5B9)


def copied_rows(inputs: Floats, targets: Floats) -> tuple[Integers, Integers] | None:
    """Return the first of all equal rows, and which of these every row is equal to.

    None if there are few copies, or if they may be a coincidence: if no column has a value of its
    own in at least half of the different rows, or if almost as many rows would agree if the columns
    were independent.

    Shape: inputs (N, D), targets (N, T) -> (M,), in ascending order, and (N,), from 0.

    >>> x = np.arange(40.0)[:, None] % 20
    >>> first, copy = copied_rows(x, x)
    >>> len(first), copy[:3], copy[20:23]
    (20, array([0, 1, 2]), array([0, 1, 2]))
    >>> copied_rows(x, x % 2 * 0) is None
    True
    """
    table = np.hstack([inputs, targets])
    sums = _checksums(table.copy())
    _, first, copy = np.unique(sums, return_index=True, return_inverse=True)
    n_copies = len(inputs) - len(first)
    if n_copies <= max(FEW * len(inputs), 1):
        return None
    half = len(first) / 2 + 1
    if all(len(np.unique(column)) < half for column in inputs[first].T):
        return None
    counts = (np.unique(column, return_counts=True)[1] for column in table.T)
    if n_copies < TIMES * pairs_by_chance(len(table), counts):
        return None
    order = np.argsort(first)
    return first[order], np.argsort(order)[copy]


def _checksums(table: Floats) -> NDArray[np.uint64]:
    """Return a number per row that is the same for equal rows only. Shape: (N, D) -> (N,)."""
    factors = np.random.default_rng(0).integers(2**63, size=table.shape[1], dtype=np.uint64)
    bits = table.view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= _MIXER
    bits ^= bits >> np.uint64(29)
    return np.asarray(bits @ (factors | np.uint64(1)))
