"""Splitting rows into training rows and held-out test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ipcae.errors import InputError
from ipcae.tables.splitting import whole_groups

MIN_TRAINING_ROWS = 5


def split_rows(
    n_rows: int,
    classes: NDArray[Any] | None,
    fraction: float,
    seed: int,
    groups: NDArray[Any] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split the rows into training and test rows, stratified by class if possible.

    Every class has at least one training row. With ``groups``, the rows of a group are either all
    training rows or all test rows.

    >>> train, test = split_rows(10, None, 0.2, seed=0)
    >>> len(train), len(test)
    (8, 2)
    """
    rows = np.arange(n_rows)
    n_test = max(round(n_rows * fraction), 2)
    if n_rows - n_test < MIN_TRAINING_ROWS:
        raise InputError(
            f"there are {n_rows} rows: too few to hold out {n_test} (--test-fraction {fraction:g}) "
            f"and train on the rest, which must be at least {MIN_TRAINING_ROWS}."
        )
    if groups is not None:
        return _split_groups(classes, groups, fraction, seed)
    if classes is None:
        train, test = train_test_split(rows, test_size=n_test, random_state=seed)
        return np.sort(train), np.sort(test)
    _, number, counts = np.unique(classes, return_inverse=True, return_counts=True)
    several = counts[number] > 1
    n_classes = int((counts > 1).sum())
    balanced = n_classes <= n_test <= several.sum() - n_classes
    train, test = train_test_split(
        rows[several],
        test_size=min(n_test, int(several.sum()) - 1),
        random_state=seed,
        stratify=classes[several] if balanced else None,
    )
    # Without stratification, all rows of a rare class may be test rows.
    unseen = np.setdiff1d(classes[test], classes[train])
    moved = [test[classes[test] == label][0] for label in unseen]
    train = np.concatenate([train, rows[~several], np.array(moved, dtype=train.dtype)])
    return np.sort(train), np.sort(np.setdiff1d(test, moved))


def _split_groups(
    classes: NDArray[Any] | None, groups: NDArray[Any], fraction: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hold out whole groups, so that every class has a training row."""
    if len(np.unique(groups)) < 2:
        raise InputError("--groups has a single group: expected at least two to hold one out.")
    parts = whole_groups(groups, fraction, classes, seed)
    if parts is None:
        raise InputError(
            "--groups: whichever groups are held out, a class has no training rows. Every class "
            "must occur in several groups."
        )
    train, test = parts
    return np.sort(train), np.sort(test)
