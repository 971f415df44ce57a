"""The folds of a cross-validation, checked before any training."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    StratifiedGroupKFold,
    check_cv,
)

from ipcae.arrays import Integers
from ipcae.errors import InputError, as_input_error, invalid_argument, warn
from ipcae.evaluation.folds import Fold
from ipcae.tables.splitting import stratified_split
from ipcae.text import count, listed


def splitter_for(cv: Any, y: Any, discrete: bool, groups: Any) -> Any:
    """Return the splitter; a number of folds keeps the rows of a group together, if given.

    >>> splitter_for(3, None, False, None)
    KFold(n_splits=3, random_state=None, shuffle=False)
    """
    by_number = is_number_of_folds(cv)
    if isinstance(cv, bool) or (by_number and cv is not None and cv < 2):
        raise invalid_argument("cv", cv, "at least 2 folds, or a splitter")
    if not by_number or groups is None:
        with as_input_error():
            return check_cv(cv, y, classifier=discrete)
    n_folds = 5 if cv is None else int(cv)
    n_groups = len(np.unique(np.asarray(groups)))
    if n_groups < n_folds:
        fewer = "Choose fewer folds." if n_groups > 1 else "Leave out groups, or choose others."
        raise InputError(
            f"The rows to learn from have {count(n_groups, 'group')} for {n_folds} folds: every "
            f"fold needs a group of its own to be tested on. {fewer}"
        )
    kind = StratifiedGroupKFold if discrete and np.ndim(y) == 1 else GroupKFold
    return kind(n_folds)


def is_number_of_folds(cv: Any) -> bool:
    """Return whether ``cv`` is a number of folds, not a splitter; None means five."""
    return cv is None or isinstance(cv, int | np.integer)


def checked_folds(splitter: Any, X: Any, y: Any, n_rows: int, **split: Any) -> list[Fold]:
    """Return the training and test rows of every fold, or raise an error if they overlap."""
    with as_input_error(), warnings.catch_warnings():
        # A class with fewer rows than folds: refused below, if it is missing from a fold.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = list(splitter.split(X, y, **split))
    folds = [(_indices(train, n_rows), _indices(test, n_rows)) for train, test in parts]
    if not folds:
        raise InputError("cv yields no folds: expected at least one.")
    for number, (train, test) in enumerate(folds, start=1):
        if not (len(train) and len(test)):
            raise InputError(f"Fold {number} has no rows to train on or to test: choose fewer.")
        if len(np.intersect1d(train, test)):
            raise InputError(
                f"Fold {number} is tested on rows that it is trained on: expected separate rows."
            )
    return folds


def _indices(rows: Any, n_rows: int) -> Integers:
    rows = np.asarray(rows)
    index = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
    if len(index) and not 0 <= index.min() <= index.max() < n_rows:
        raise InputError(f"cv yields rows that do not exist: expected 0 to {n_rows - 1}.")
    return index


def require_all_classes(folds: list[Fold], classes: NDArray[Any], counted: Integers) -> None:
    """Raise an error if a class is missing from the training rows of a fold that count."""
    known = np.unique(classes)
    for number, (train, _) in enumerate(folds, start=1):
        missing = np.setdiff1d(known, classes[np.intersect1d(train, counted)])
        if len(missing):
            n_rows = min(int((classes == label).sum()) for label in missing)
            unweighted = ""
            if len(counted) < len(classes):
                unweighted = " (a row with sample_weight 0 does not count)"
            raise InputError(
                f"Fold {number} would be trained without class "
                f"{listed([str(label) for label in missing])}, which has {n_rows} of "
                f"{len(classes)} rows{unweighted}: choose fewer folds, merge rare classes, or use "
                "a splitter that stratifies."
            )


def warn_about_rare_classes(classes: NDArray[Any], n_folds: int) -> None:
    """Warn if a class has fewer rows than there are folds: some are tested without it."""
    labels, counts = np.unique(classes, return_counts=True)
    rare = counts < n_folds
    if rare.any():
        each = zip(labels[rare], counts[rare], strict=True)
        names = listed([f"{label} ({count})" for label, count in each])
        warn(
            f"Fewer rows than the {n_folds} folds: class {names}. Some folds are tested without "
            "it. Choose fewer folds, or merge rare classes."
        )


def validation_rows(
    folds: list[Fold],
    fraction: float | None,
    strata: NDArray[Any] | None,
    groups: NDArray[Any] | None,
    seed: int,
) -> list[Fold]:
    """Split the training rows of every fold into those to learn from and those to validate on.

    One set of rows is drawn for all folds, so that few rows are used for both purposes; a fold
    validates on those of its training rows. The rows of a group are either learned from or
    validated on. If too few are left for a fold, it gets its own set.
    """
    if fraction is None:
        return [(train, train) for train, _ in folds]
    rows = np.unique(np.concatenate([train for train, _ in folds]))
    common = _held_out(rows, fraction, strata, groups, seed)
    parts = []
    for number, (train, _) in enumerate(folds, start=1):
        chosen = np.intersect1d(train, common)
        if not fraction * len(train) / 2 <= len(chosen) <= 2 * fraction * len(train):
            chosen = _held_out(np.unique(train), fraction, strata, groups, seed + number)
        parts.append((np.setdiff1d(train, chosen), chosen))
    return parts


def _held_out(
    rows: Integers, fraction: float, strata: NDArray[Any] | None, groups: Any, seed: int
) -> Integers:
    """Return the fraction of the rows to validate on."""
    n_held_out = max(round(len(rows) * fraction), 1)
    if len(rows) - n_held_out < 1:
        raise InputError(
            f"X has n_samples={len(rows)} to train a fold on: too few to hold out {n_held_out} for "
            "validation. Pass more rows, or validation_fraction=None."
        )
    if groups is not None:
        own = np.asarray(groups)[rows]
        if len(np.unique(own)) > 1:
            split = GroupShuffleSplit(1, test_size=fraction, random_state=seed)
            chosen = rows[next(split.split(rows, groups=own))[1]]
            if 0 < len(chosen) < len(rows):
                return chosen
    own_strata = None if strata is None else strata[rows]
    return stratified_split(rows, n_held_out, own_strata, seed)[1]
