"""Test whether a search for the number of features is better than chance, by its own folds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.chance import FEWEST_GROUPS
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.estimators.selector_cv import SelectorCV
from ipcae.evaluation import Association, ChanceTest, association_of, read_sample
from ipcae.evaluation.chance import N_PERMUTATIONS, compare_with_chance
from ipcae.evaluation.folds import Data
from ipcae.tables.tensors import as_array


def chance_of_folds(
    search: SelectorCV, rows: Data, held_out: tuple[Any, Data], *, random_state: int = 0
) -> ChanceTest | None:
    """Compare the folds of a fitted search with chance, without training any others.

    As in :func:`chance_test` of a search, the largest association of any number of features is
    compared with the largest for permuted targets. With ``n_features_to_select="auto"``, which
    numbers are tried depends on the targets. Numbers between the planned ones are left out, and
    planned ones that were skipped count as attempts of their own, with independent permutations:
    their largest association is at least as large as it would have been.

    The score is that of the chosen number, and all numbers count as compared, also those between.

    ``rows`` are those that the search was fitted to, and ``held_out`` is the final selector, with
    rows that it has not seen. Return None if the folds do not allow a comparison: several methods
    were compared, a fold was interrupted or diverged, or a fold is without a class or has too few
    groups.
    """
    if is_auto(search.estimator.method):
        return None
    every, planned, n_skipped = search._searched
    fits = [fit for folds in every.best for fit in folds]
    if not all(fit is not None and not fit._interrupted for fit in fits):
        return None
    tests = [rows.take(test) for _, test in every.folds]
    selector, unseen = held_out
    if not _are_comparable([*tests, unseen], selector.task_.discrete):
        return None
    new = selector, read_sample(selector, *unseen)

    def association(folds: list[NeuralSelector | None], seed: int) -> Association:
        fitted = [fit for fit in folds if fit is not None]
        samples = [read_sample(each, *test) for each, test in zip(fitted, tests, strict=True)]
        return association_of(
            fitted, samples, n_permutations=N_PERMUTATIONS, seed=seed, held_out=new
        )

    attempts = [association(folds, random_state) for folds in planned.best]
    skipped = [
        replace(association(planned.best[-1], random_state + number), statistic=-math.inf)
        for number in range(1, n_skipped + 1)
    ]
    chosen = association(every.best[every.counts.index(search.n_features_)], random_state)
    return replace(
        compare_with_chance([*attempts, *skipped]),
        score=chosen.score,
        baseline=chosen.baseline,
        n_compared=len(every.counts),
    )


def _are_comparable(parts: list[Data], discrete: bool) -> bool:
    """Return whether all parts of a table have several groups, if any, and all classes."""
    groups = [part.groups for part in parts if part.groups is not None]
    if groups:
        n_groups = [len(np.unique(own)) for own in groups]
        if min(n_groups) < 2 or sum(n_groups) < FEWEST_GROUPS:
            return False
    if not discrete or np.ndim(parts[0].y) != 1:
        return True
    classes = [set(np.unique(np.asarray(as_array(part.y))).tolist()) for part in parts]
    return all(each == set().union(*classes) for each in classes)
