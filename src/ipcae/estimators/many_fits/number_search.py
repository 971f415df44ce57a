"""The search for a number of features, with no more numbers than the scores call for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ipcae.estimators.many_fits.attempt import Attempt
from ipcae.estimators.many_fits.cross_validation import Results, choose
from ipcae.estimators.many_fits.feature_counts import counts_between
from ipcae.evaluation.folds import split_scores, standard_errors

FEW = 10
"""Larger numbers of features are tried only if the score does not decline before."""

N_ERRORS = 2.0
"""Standard errors by which a score is worse than the best if it declines."""


class SearchedNumbers(NamedTuple):
    """The numbers of features that were compared.

    ``every`` has all of them. ``planned`` has those that did not depend on the scores of others,
    without the ``n_skipped`` largest: a test against chance must count these, too.
    """

    every: Attempt
    planned: Attempt
    n_skipped: int = 0


def search_numbers(
    attempt: Callable[[list[int]], Attempt], planned: list[int], rule: str
) -> SearchedNumbers:
    """Compare the planned numbers of features, as far as needed, and then numbers between them.

    Numbers above 10 are skipped if the score declines before (:func:`declines`). The rule then
    chooses a number. If it looks for the smallest of those with a good score, two between this one
    and the next smaller one are tried, the larger one first.

    ``attempt`` cross-validates some numbers, always with the same folds.
    """
    few = [count for count in planned if count <= FEW] or planned
    many = planned[len(few) :]
    found, n_skipped = attempt(few), 0
    if many and not found.interrupted:
        if declines(found.results, found.score):
            n_skipped = len(many)
        else:
            found = found.joined(attempt(many))
    if rule == "best" or found.interrupted:
        return SearchedNumbers(found, found, n_skipped)
    return SearchedNumbers(_refined(attempt, found, rule), found, n_skipped)


def _refined(attempt: Callable[[list[int]], Attempt], found: Attempt, rule: str) -> Attempt:
    """Try numbers between the one that the rule chooses and the next smaller one."""
    chosen = choose(found.results, found.score, rule)
    between = counts_between(*found.counts[chosen - 1 : chosen + 1]) if chosen else []
    for count in reversed(between):
        more = attempt([count])
        if more.interrupted:
            break
        found = found.joined(more)
        if found.counts[choose(found.results, found.score, rule)] != count:
            break
    return found


def declines(results: Results, score: str) -> bool:
    """Return whether the largest number of features is worse than another one, by two errors.

    The standard error is that of the differences in the same folds: columns without information
    make all folds worse.

    >>> import numpy as np
    >>> scores = {"split0_test_score": np.array([0.5, 0.9, 0.7])}
    >>> scores["split1_test_score"] = np.array([0.6, 0.8, 0.65])
    >>> declines(scores, "score")
    True
    """
    folds = split_scores(results, score)
    best = folds[:, folds.mean(0).argmax()]
    lost = best - folds[:, -1]
    return bool(lost.mean() > N_ERRORS * standard_errors(lost[:, None])[0])
