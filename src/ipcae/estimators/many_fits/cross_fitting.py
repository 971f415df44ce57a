"""Selectors fitted to all folds but one in turn, several times."""

from __future__ import annotations

from typing import Any

from ipcae.arrays import Integers
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.many_fits.folds import validation_rows
from ipcae.estimators.many_fits.variants import Variant, fit_variants
from ipcae.estimators.one_fit.problem import Seeds
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import read_table
from ipcae.evaluation import Sample, read_sample
from ipcae.evaluation.folds import Data, Fold, folds_of
from ipcae.tasks import Task

LeftOut = tuple[list[NeuralSelector], list[Sample], list[Integers]]
"""Selectors, the rows that each has not seen, and the numbers of these rows."""


def repeated_folds(
    data: Data, task: type[Task], n_folds: int, n_repeats: int, seed: int
) -> list[Fold]:
    """Return the folds of several divisions of the rows."""
    return [
        fold for repeat in range(n_repeats) for fold in folds_of(data, task, n_folds, seed + repeat)
    ]


def cross_fit(
    selector: NeuralSelector, data: Data, folds: list[Fold], counts: Any = None
) -> list[LeftOut]:
    """Fit copies of a selector to the training rows of every fold, all as one batch.

    Return the selectors and the rows left out for every number of features: those of ``counts``, as
    in a search, or that of the selector.
    """
    tests = [test for _, test in folds]

    def left_out(fitted: list[NeuralSelector]) -> list[Sample]:
        return [
            read_sample(each, *data.take(test)) for each, test in zip(fitted, tests, strict=True)
        ]

    every = _fit_folds(selector, data, folds, counts)
    return [(fitted, left_out(fitted), tests) for fitted in every]


def _fit_folds(
    selector: NeuralSelector, data: Data, folds: list[Fold], counts: Any
) -> list[list[NeuralSelector]]:
    """Fit to the training rows of every fold, for every number of features."""
    settings = Settings.of(selector)
    table = read_table(selector, data.X, data.y, None, data.groups)
    numbers = [table.n_selected] if counts is None else counts_for(counts, table.constraints)
    seeds = Seeds.draw(selector.random_state, 1)
    strata = table.task.strata(table.rows.targets)
    learned = validation_rows(folds, settings.validation_fraction, strata, data.groups, seeds.split)
    variants = [
        Variant(train, validate, count, seeds.runs[0])
        for count in numbers
        for train, validate in learned
    ]
    fitted = fit_variants(selector, table, variants, seeds.order)
    selectors = [each for each in fitted if each is not None]
    if len(selectors) < len(fitted) or any(each._interrupted for each in selectors):
        raise KeyboardInterrupt
    n_folds = len(folds)
    return [selectors[first : first + n_folds] for first in range(0, len(selectors), n_folds)]
