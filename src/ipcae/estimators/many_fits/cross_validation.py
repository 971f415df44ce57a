"""A cross-validation of several numbers of features, trained as one batch."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import _num_samples, indexable

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits import folds
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.many_fits.scoring import Scorer
from ipcae.estimators.many_fits.variants import Variant, fit_variants
from ipcae.estimators.one_fit.problem import Seeds
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.streaming import refuse_source
from ipcae.estimators.one_fit.table import Table, read_table
from ipcae.evaluation.folds import Fold, split_scores, standard_errors, take_rows
from ipcae.tables import read_groups
from ipcae.tables.tensors import as_array

Results = dict[str, NDArray[Any]]
Best = list[list[NeuralSelector | None]]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """A cross-validation, checked and ready to be trained.

    Attributes
    ----------
    selector : selector
        An unfitted selector that read the table.
    counts : list of int
        The numbers of features to compare.
    folds : list of (train, test)
        The rows of every fold.
    variants : list of Variant
        Every number of features, fold and seed, in this order.
    """

    selector: NeuralSelector
    X: Any
    y: Any
    table: Table
    counts: list[int]
    folds: list[Fold]
    variants: list[Variant]
    order_seed: int
    scorer: Scorer

    @classmethod
    def plan(
        cls,
        selector: NeuralSelector,
        X: Any,
        y: Any,
        *,
        counts: Any,
        cv: Any,
        scorer: Scorer,
        sample_weight: Any = None,
        groups: Any = None,
        **split: Any,
    ) -> CrossValidation:
        """Read and split the table and try out the scores; raise errors before any training."""
        settings = Settings.of(selector)
        refuse_source(X, "A comparison of several fits")
        table = read_table(selector, X, y, sample_weight, groups)
        numbers = counts_for(counts, table.constraints)
        X, y = indexable(X, y)
        target: Any = None if y is None else as_array(y)
        groups = read_groups(groups, X)
        parts = _split(X, target, cv, groups, is_classifier(selector), split)
        # The table has no rows of weight 0.
        kept = np.arange(_num_samples(X))
        if sample_weight is not None:
            kept = np.flatnonzero(np.asarray(as_array(sample_weight)))
        if table.task.discrete and np.ndim(target) == 1:
            folds.require_all_classes(parts, np.asarray(target), kept)
            if folds.is_number_of_folds(cv):
                folds.warn_about_rare_classes(np.asarray(target), len(parts))
        if table.task.supervised:
            scorer.require_computable(target, parts, table.task.discrete)
        else:
            scorer.require_no_target(type(selector).__name__)
        seeds = Seeds.draw(selector.random_state, settings.n_runs)
        learned = folds.validation_rows(
            [(_positions(train, kept), test) for train, test in parts],
            settings.validation_fraction,
            table.task.strata(table.rows.targets),
            table.groups,
            seeds.split,
        )
        variants = [
            Variant(train, validate, count, seed, run)
            for count in numbers
            for train, validate in learned
            for run, seed in enumerate(seeds.runs)
        ]
        return cls(selector, X, y, table, numbers, parts, variants, seeds.order, scorer)

    def with_counts(self, counts: list[int]) -> CrossValidation:
        """Return the same folds and seeds with other numbers of features."""
        of_one = self.variants[: len(self.variants) // len(self.counts)]
        variants = [replace(each, n_selected=count) for count in counts for each in of_one]
        return replace(self, counts=counts, variants=variants)

    def fit(self) -> tuple[Best, float]:
        """Train all variants; return the best seed of every count and fold, and the seconds.

        The best seed has the lowest loss on the validation rows, which are not test rows.
        """
        start = time.perf_counter()
        fitted = fit_variants(self.selector, self.table, self.variants, self.order_seed)
        n_seeds = len(self.variants) // (len(self.counts) * len(self.folds))
        groups = [
            _best_seed(fitted[first : first + n_seeds]) for first in range(0, len(fitted), n_seeds)
        ]
        n_folds = len(self.folds)
        best = [groups[first : first + n_folds] for first in range(0, len(groups), n_folds)]
        return best, time.perf_counter() - start

    def results(self, best: Best, params: dict[str, Any]) -> Results:
        """Score the best seed of every count and fold on the test rows of the fold."""
        names = self.scorer.names or ("score",)
        shape = len(self.counts), len(self.folds)
        scores = {name: np.full(shape, np.nan) for name in names}
        results: Results = {"n_features": np.array(self.counts)}
        for fold, (_, test) in enumerate(self.folds):
            rows = take_rows(self.X, test), take_rows(self.y, test)
            own = {name: take_rows(value, test) for name, value in params.items()}
            support = np.zeros((len(self.counts), self.selector.n_features_in_), dtype=bool)
            for k, of_folds in enumerate(best):
                selector = of_folds[fold]
                if selector is None:
                    continue
                support[k] = selector.get_support()
                for name, value in self.scorer(selector, *rows, **own).items():
                    scores[name][k, fold] = value
            results[f"split{fold}_support"] = support
        for name, values in scores.items():
            results |= _summary(name, values)
        return results


def _split(
    X: Any, target: Any, cv: Any, groups: Any, discrete: bool, options: dict[str, Any]
) -> list[Fold]:
    """Return the folds of the rows; ``options`` are further arguments of the splitter."""
    if groups is not None:
        options = {**options, "groups": groups}
    splitter = folds.splitter_for(cv, target, discrete, groups)
    return folds.checked_folds(splitter, X, target, _num_samples(X), **options)


def _positions(rows: Integers, kept: Integers) -> Integers:
    """Return the positions of rows among those that are kept."""
    return np.searchsorted(kept, np.intersect1d(rows, kept))


def _best_seed(fitted: list[NeuralSelector | None]) -> NeuralSelector | None:
    """Return the selector with the lowest validation loss; None if all diverged."""
    usable = [each for each in fitted if each is not None and math.isfinite(each._best_loss)]
    return min(usable, key=lambda each: each._best_loss, default=None)


def _summary(name: str, values: Floats) -> Results:
    """Return mean, standard deviation and values of a score. Shape: values (K, F)."""
    mean = values.mean(1)
    results: Results = {f"split{f}_test_{name}": values[:, f] for f in range(values.shape[1])}
    results[f"mean_test_{name}"] = mean
    results[f"std_test_{name}"] = values.std(1)
    return results


def choose(results: Results, name: str, rule: str) -> int:
    """Return the index of the number of features that the rule chooses.

    >>> results = {"split0_test_score": np.array([0.5, 0.8, 0.9]),
    ...            "split1_test_score": np.array([0.5, 0.8, 0.7])}
    >>> results["mean_test_score"] = np.array([0.5, 0.8, 0.8])
    >>> choose(results, "score", "best"), choose(results, "score", "one-standard-error")
    (1, 1)
    """
    mean = np.nan_to_num(results[f"mean_test_{name}"], nan=-np.inf)
    best = int(mean.argmax())
    if not np.isfinite(mean[best]):
        raise InputError(
            "No number of features has a score in every fold: all seeds of a fold diverged."
        )
    if rule == "best":
        return best
    error = np.nan_to_num(standard_errors(split_scores(results, name))[best])
    return int((mean >= mean[best] - error).argmax())
