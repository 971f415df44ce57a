"""Hold out validation rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from ipcae.arrays import Integers, sample_of
from ipcae.errors import InputError
from ipcae.rows import Rows

MOST_HELD_OUT = 50_000
"""More validation rows would take longer to evaluate than an epoch takes."""

_TRIES = 20


def split_rows(
    rows: Rows,
    fraction: float | None,
    strata: NDArray[Any] | None,
    seed: int,
    groups: NDArray[Any] | None = None,
) -> tuple[Rows, Rows]:
    """Split rows into training and validation rows, stratified if possible.

    At most 50,000 rows are held out. Without a fraction, the training rows are also the validation
    rows. With ``groups``, this fraction of the groups is held out instead, whatever their size. If
    there is a single group, or if a stratum would lose all its rows whichever groups are held out,
    groups are divided.

    >>> rows = Rows(torch.zeros(10, 3), torch.zeros(10))
    >>> [len(part) for part in split_rows(rows, 0.2, None, seed=0)]
    [8, 2]
    """
    if fraction is None:
        return rows, rows
    most = MOST_HELD_OUT if groups is None else None
    parts = split_indices(len(rows), fraction, strata, seed, groups, most)
    train, held_out = (torch.as_tensor(part, device=rows.inputs.device) for part in parts)
    return rows.take(train), rows.take(held_out)


def split_indices(
    n_rows: int,
    fraction: float,
    strata: NDArray[Any] | None,
    seed: int,
    groups: NDArray[Any] | None,
    most: int | None = None,
) -> tuple[Integers, Integers]:
    """Return the indices of training and validation rows, at most ``most`` of the latter."""
    n_held_out = max(round(n_rows * fraction), 1)
    n_held_out = n_held_out if most is None else min(n_held_out, most)
    if n_rows - n_held_out < 1:
        raise InputError(
            f"X has n_samples={n_rows}: too few to hold out {n_held_out} for validation. "
            "Pass more rows, or validation_fraction=None to validate on the training rows."
        )
    if groups is not None:
        parts = whole_groups(groups, fraction, strata, seed)
        if parts is not None:
            train, held_out = parts
            return train, held_out if most is None else sample_of(held_out, most, seed)
    return stratified_split(np.arange(n_rows), n_held_out, strata, seed)


def stratified_split(
    rows: Integers, n_held_out: int, strata: NDArray[Any] | None, seed: int
) -> tuple[Integers, Integers]:
    """Hold out this many of the rows, stratified if both parts have room for every stratum.

    Shape: strata (len(rows),).
    """
    if strata is not None:
        counts = np.unique(strata, return_counts=True)[1]
        if counts.min() < 2 or min(n_held_out, len(rows) - n_held_out) < len(counts):
            strata = None
    train, held_out = train_test_split(
        rows, test_size=n_held_out, random_state=seed, stratify=strata
    )
    return train, held_out


def whole_groups(
    groups: NDArray[Any], fraction: float, strata: NDArray[Any] | None, seed: int
) -> tuple[Integers, Integers] | None:
    """Hold out a fraction of the groups, such that every stratum has training rows.

    Returns None if there is a single group, or if no such groups are found.
    """
    if len(np.unique(groups)) < 2:
        return None
    splits = GroupShuffleSplit(_TRIES, test_size=fraction, random_state=seed)
    for train, held_out in splits.split(groups, groups=groups):
        if strata is None or not len(np.setdiff1d(strata, strata[train])):
            return train, held_out
    return None
