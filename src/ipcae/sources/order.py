"""The order of the rows of an epoch, shuffled within windows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipcae.sources.base import Index


def windowed_order(
    starts: Index, window: int, chunk_keys: NDArray[np.float64], row_keys: NDArray[np.float64]
) -> Index:
    """Return a permutation of the rows that reads few chunks at a time.

    The chunks that begin at ``starts`` are put in the order of their keys, the result is cut into
    windows, and the rows of a window are sorted by their keys. With random keys, a window consists
    of rows of several random chunks, in random order. A window of all rows is a full shuffle, in
    the order of ``row_keys``.

    >>> keys = np.array([0.3, 0.1, 0.2, 0.9, 0.8, 0.7])
    >>> windowed_order(np.array([0, 2, 4]), 2, np.array([0.5, 0.1, 0.9]), keys)
    array([2, 3, 1, 0, 5, 4])
    >>> windowed_order(np.array([0, 2, 4]), 6, np.array([0.5, 0.1, 0.9]), keys)
    array([1, 2, 0, 5, 4, 3])
    """
    n_rows = len(row_keys)
    if window >= n_rows:
        return np.argsort(row_keys, kind="stable")
    ends = np.append(starts[1:], n_rows)
    order = np.argsort(chunk_keys, kind="stable")
    lengths = (ends - starts)[order]
    # The rows of the chunks, one chunk after the other.
    shift = np.repeat(starts[order] - np.cumsum(lengths) + lengths, lengths)
    rows = np.arange(n_rows) + shift
    windows = np.arange(n_rows) // window
    # Equal keys are sorted by row, as in a stable sort.
    return rows[np.lexsort((rows, row_keys[rows], windows))]
