"""Rows that are almost equal to a few others, such as repeated measurements of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.tables.dependence.between_groups import codes_of, spaced_columns

_FEWEST_COLUMNS, _MOST_COLUMNS = 5, 100
_FEWEST_ROWS, _MOST_ROWS, _MOST_COMPARED = 30, 20_000, 200
_FARTHER = 2.0  # times as far away is the next row
_MOST_COPIES = 3
_EQUAL = 1e-6  # the distance, up to rounding, of equal rows, which are counted elsewhere
_FIRST, _LAST = 6, 20  # neighbors that tell the dimension
_SHARE = 0.25  # of the rows
_ALIKE = 0.6  # correlation of the targets


def count_near_copies(columns: Floats, target: Any = None) -> int:
    """Return about how many rows are almost equal to one, two or three others, 0 if few are.

    The next row is then more than twice as far away. Rows of d independent columns have such a gap
    with a probability of at most 1 / (2ᵈ − 1), where d is estimated from the distances of farther
    rows. The targets of the rows must be alike as well, but the rows may not be their whole class.

    >>> random = np.random.default_rng(0)
    >>> samples, errors = random.normal(size=(50, 8)), random.normal(scale=0.1, size=(100, 8))
    >>> count_near_copies(np.repeat(samples, 2, axis=0) + errors)
    100
    >>> count_near_copies(random.normal(size=(100, 8)))
    0
    """
    values = _continuous(columns)
    if not _FEWEST_ROWS <= len(values) <= _MOST_ROWS or values.shape[1] < _FEWEST_COLUMNS:
        return 0
    compared = np.random.default_rng(0).permutation(len(values))[:_MOST_COMPARED]
    distances, neighbors = _neighbors(values, compared)
    near = np.maximum(distances, _EQUAL)
    gaps = (near[:, 1:] > _FARTHER * near[:, :-1]) & (near[:, :-1] > _EQUAL)
    n_copies = np.where(gaps[:, :_MOST_COPIES].any(1), gaps[:, :_MOST_COPIES].argmax(1) + 1, 0)
    found = n_copies > 0
    if target is not None:
        found &= _in_larger_classes(target, n_copies, compared)
    share = float(found.mean())
    if share <= _SHARE + 3 / (2 ** _dimension(near) - 1):
        return 0
    if target is not None and not _alike(target, compared[found], neighbors[found, 0]):
        return 0
    return round(share * len(values))


def _continuous(columns: Floats) -> Floats:
    """Return columns that seem to be measurements, scaled. Shape: (N, D) -> (N, D')."""
    some = spaced_columns(columns, _MOST_COLUMNS)
    ordered = np.sort(some, axis=0)
    n_values = 1 + (np.diff(ordered, axis=0) > 0).sum(0)  # a difference from NaN is not counted
    some = some[:, n_values > max(len(some) / 5, 2)]
    known = np.where(np.isfinite(some), some, np.nan)
    center, spread = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    return np.nan_to_num((known - center) / np.where(spread > 0, spread, 1.0))


def _neighbors(values: Floats, compared: Integers) -> tuple[Floats, Integers]:
    """Return the distances and the numbers of the nearest other rows, of some rows."""
    from sklearn.neighbors import NearestNeighbors

    n_neighbors = min(_LAST + 1, len(values))
    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(values)
    distances, neighbors = search.kneighbors(values[compared])
    return distances[:, 1:], neighbors[:, 1:]


def _dimension(distances: Floats) -> float:
    """Return the dimension in which rows vary, estimated as by Levina and Bickel (2004)."""
    logarithms = np.log(distances[:, _FIRST - 1 : _LAST])
    mean = float((logarithms[:, -1:] - logarithms[:, :-1]).mean())
    return min(1 / mean, 50.0) if mean > 0 else 50.0


def _in_larger_classes(target: Any, n_copies: Integers, compared: Integers) -> Booleans:
    """Return which rows have a class of at least twice as many rows as are almost equal."""
    labels: NDArray[Any] = np.asarray(target)
    if labels.ndim != 1 or labels.dtype.kind == "f":
        return np.ones(len(compared), dtype=bool)
    codes = codes_of(labels).astype(np.int64)
    return np.asarray(np.bincount(codes)[codes[compared]] >= 2 * (n_copies + 1))


def _alike(target: Any, rows: Integers, others: Integers) -> bool:
    """Return whether rows and their nearest neighbors have similar targets, of one at least."""
    targets = np.asarray(target)
    several = targets.reshape(len(targets), -1).T
    for codes in map(codes_of, several):
        own, next_to = codes[rows], codes[others]
        if np.ptp(own) > 0 < np.ptp(next_to) and np.corrcoef(own, next_to)[0, 1] > _ALIKE:
            return True
    return False
