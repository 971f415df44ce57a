"""A selector fitted to all folds but one in turn, several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.arrays import Integers
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.many_fits.folds import validation_rows
from ipcae.estimators.many_fits.variants import Variant, fit_variants
from ipcae.estimators.one_fit.problem import Seeds
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import read_table
from ipcae.evaluation import Sample, read_sample
from ipcae.evaluation.folds import Fold, folds_of, take_rows

LeftOut = tuple[list[NeuralSelector], list[Sample], list[Integers]]
"""Selectors, the rows that each has not seen, and the numbers of these rows."""


@dataclass(frozen=True, eq=False)
class CrossFitting:
    """A selector with a single run, and how its rows are left out in turn, several times.

    ``counts`` are the numbers of features to compare, as in a search, or None for that of the
    selector.
    """

    selector: NeuralSelector
    X: Any
    groups: NDArray[Any] | None
    cv: int
    n_repeats: int
    seed: int
    counts: Any = None

    def fit(self, y: Any) -> list[LeftOut]:
        """Return the selectors of all folds and the rows left out, for every number of features.

        All folds are trained as one batch.
        """
        selector = clone(self.selector)
        folds = [
            fold
            for repeat in range(self.n_repeats)
            for fold in folds_of(
                self.X, y, selector._task, self.cv, self.seed + repeat, self.groups
            )
        ]
        tests = [test for _, test in folds]

        def left_out(fitted: list[NeuralSelector]) -> list[Sample]:
            parts = self.X, y, self.groups
            return [
                read_sample(each, *(take_rows(part, test) for part in parts))
                for each, test in zip(fitted, tests, strict=True)
            ]

        every = self._fit_folds(selector, y, folds)
        return [(fitted, left_out(fitted), tests) for fitted in every]

    def _fit_folds(
        self, selector: NeuralSelector, y: Any, folds: list[Fold]
    ) -> list[list[NeuralSelector]]:
        """Fit to the training rows of every fold, for every number of features."""
        settings = Settings.of(selector)
        table = read_table(selector, self.X, y, None, self.groups)
        counts = [table.n_selected]
        if self.counts is not None:
            counts = counts_for(self.counts, table.constraints)
        seeds = Seeds.draw(selector.random_state, 1)
        strata = table.task.strata(table.rows.targets)
        held_out = settings.validation_fraction
        learned = validation_rows(folds, held_out, strata, self.groups, seeds.split)
        variants = [
            Variant(train, validate, count, seeds.runs[0])
            for count in counts
            for train, validate in learned
        ]
        fitted = fit_variants(selector, table, variants, seeds.order)
        selectors = [each for each in fitted if each is not None]
        if len(selectors) < len(fitted) or any(each._interrupted for each in selectors):
            raise KeyboardInterrupt
        n_folds = len(folds)
        return [selectors[first : first + n_folds] for first in range(0, len(selectors), n_folds)]
