"""Metrics of many resamples of the same rows at once, for bootstrap intervals.

A resample is a row of ``counts``: how often it contains each of the N rows. The functions take
counts of shape (B, N) and return one value per resample, NaN where it is not defined. With counts
of one, they equal the functions of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipcae.arrays import Booleans, Floats, quotient


def of_all_rows(resampled: Callable[[Floats], dict[str, Floats]], n_rows: int) -> dict[str, float]:
    """Return the metrics of the rows themselves, given the function of counts that returns them.

    scikit-learn's functions check their arguments, which takes longer than a metric of a few rows.
    """
    with np.errstate(invalid="ignore"):  # outputs that are not finite
        return {name: float(value[0]) for name, value in resampled(np.ones((1, n_rows))).items()}


def mean_of_rows(values: Floats, counts: Floats) -> Floats:
    """Return the mean of a value per row. Shape: (N,), (B, N) -> (B,).

    >>> mean_of_rows(np.array([0.0, 6.0]), np.array([[1.0, 1.0], [2.0, 1.0]]))
    array([3., 2.])
    """
    return counts @ values / counts.sum(1)


def macro_recall(correct: Booleans, members: Booleans, counts: Floats) -> Floats:
    """Return the mean recall of the classes that a resample contains.

    Shape: correct (N,); members (N, C), whether a row is of a class; counts (B, N) -> (B,).
    """
    total = counts @ members.astype(np.float64)
    right = counts @ (members & correct[:, None]).astype(np.float64)
    return mean_of_defined(quotient(right, total, np.nan))


def macro_auc(scores: Floats, members: Booleans, counts: Floats) -> Floats:
    """Return the mean area under the ROC curve of each class against the rest.

    Classes that a resample does not contain, or that all its rows belong to, are left out.
    Shape: scores, members (N, C); counts (B, N) -> (B,).

    >>> macro_auc(np.array([[0.1], [0.7], [0.4]]), np.array([[0], [1], [1]]) > 0, np.ones((1, 3)))
    array([1.])
    """
    columns = [auc(scores[:, c], members[:, c], counts) for c in range(scores.shape[1])]
    return mean_of_defined(np.stack(columns, 1))


def auc(scores: Floats, member: Booleans, counts: Floats) -> Floats:
    """Return the probability that a member has a higher score than another row; ties count half.

    Shape: scores, member (N,); counts (B, N) -> (B,).
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    counts = counts[:, order]
    inside, outside = counts * member[order], counts * ~member[order]
    if len(starts) < len(ordered):
        inside, outside = (np.add.reduceat(part, starts, axis=1) for part in (inside, outside))
    below = np.cumsum(outside, axis=1) - outside / 2
    pairs = inside.sum(1) * outside.sum(1)
    won = (inside * below).sum(1)
    return quotient(won, pairs, np.nan)


def sums_of_squares(true: Floats, predicted: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the sums of the squared errors, and of the squared deviations from the mean.

    Shape: true, predicted (N, T); counts (B, N) -> (B, T), (B, T).
    """
    centered = true - true.mean(0)
    total = counts.sum(1, keepdims=True)
    errors = counts @ np.square(true - predicted)
    spread = counts @ np.square(centered) - np.square(counts @ centered) / total
    return errors, np.maximum(spread, 0.0)


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean of the last axis without NaN; NaN if nothing else is there.

    >>> mean_of_defined(np.array([[1.0, np.nan], [np.nan, np.nan]]))
    array([ 1., nan])
    """
    defined = np.isfinite(values)
    return quotient(np.where(defined, values, 0.0).sum(-1), defined.sum(-1), np.nan)
