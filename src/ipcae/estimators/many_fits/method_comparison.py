"""``method="auto"``: compare several methods on the user's rows with the same folds."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.attempt import Attempt
from ipcae.estimators.many_fits.cross_validation import Best, CrossValidation, Results
from ipcae.estimators.many_fits.scoring import Scorer, main_scoring
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.selectors import METHODS
from ipcae.tasks import Task
from ipcae.text import duration
from ipcae.training import Phase

logger = logging.getLogger("ipcae")

CANDIDATES = (
    "anova",
    "cox-adaptive",
    "cox-elimination",
    "cox-score",
    "elimination",
    "lasso",
    "l1-logistic",
    "pivoted-qr",
    "pfa",
    "random-forest",
    "group-lasso",
    "ip-cae",
    "lassonet",
    "stg",
)
"""Methods that differ from each other and are strong on some tables, cheap ones first."""

Comparison = dict[str, NDArray[Any]]
N_FOLDS = 5


def candidates_for(task: type[Task]) -> list[str]:
    """Return the methods to compare for a task.

    A ranking that ignores the target is compared only if there is none.
    """
    found = []
    for name in CANDIDATES:
        method = METHODS[name]
        ignores_target = Phase.RANKING in method.phases and method.needs is None
        if method.supports(task) and not (task.supervised and ignores_target):
            found.append(name)
    return found


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """The methods that were compared, cheap ones first, for one or several numbers of features.

    Only the first of ``names`` have ``attempts``: the others were skipped.

    For every number of features, the method with the best mean score is used. Shape: chosen (K,),
    positions in ``attempts``.
    """

    names: list[Any]
    attempts: list[Attempt]
    chosen: Integers

    @classmethod
    def of(cls, selector: NeuralSelector, attempt: Callable[[Any], Attempt]) -> MethodComparison:
        """Cross-validate the method of a selector or, if it is "auto", several in turn.

        No more are tried than the evidence needs: if the smallest number of features is within one
        standard error of the largest possible score, 1, the others are skipped. Ctrl-C ends the
        comparison with the methods so far.
        """
        auto = is_auto(selector.method)
        names = candidates_for(selector._task) if auto else [selector.method]
        attempts: list[Attempt] = []
        for name in names:
            tried = attempt(name)
            if attempts and tried.interrupted:
                break
            attempts.append(tried)
            if auto:
                _say(selector, _sentence(name, tried))
            if tried.interrupted or tried.mean[0] + tried.error[0] >= 1:
                break
        means = np.stack([each.mean for each in attempts])
        return cls(names, attempts, np.nan_to_num(means, nan=-np.inf).argmax(0))

    @property
    def first(self) -> Attempt:
        """The first method; the numbers of features and the folds of the others are the same."""
        return self.attempts[0]

    @property
    def seconds(self) -> float:
        """Duration of all cross-validations."""
        return sum(each.seconds for each in self.attempts)

    @property
    def best(self) -> Best:
        """The best run of every fold, for every number of features."""
        return [self.attempts[i].best[k] for k, i in enumerate(self.chosen)]

    @property
    def results(self) -> Results:
        """The results of the chosen methods, with their names if there are several."""
        if len(self.names) == 1:
            return with_ranks(self.attempts[0].results)
        results = {
            name: np.stack([self.attempts[i].results[name][k] for k, i in enumerate(self.chosen)])
            for name in self.attempts[0].results
        }
        return {**with_ranks(results), "method": np.array([self.names[i] for i in self.chosen])}

    def scores(self, k: int) -> Comparison:
        """Return the scores of all methods for one number of features."""
        done, n_names = self.attempts, len(self.names)

        def padded(values: list[float]) -> Floats:
            return np.array([*values, *[math.nan] * (n_names - len(done))])

        return {
            "method": np.array(self.names),
            "mean_test_score": padded([float(each.mean[k]) for each in done]),
            "standard_error": padded([float(each.error[k]) for each in done]),
            "seconds": padded([each.seconds for each in done]),
            "compared": np.arange(n_names) < len(done),
            "chosen": np.arange(n_names) == self.chosen[k],
        }


def with_ranks(results: Results) -> Results:
    """Return the results with the ranks of the mean scores, from 1, the largest first and NaN last.

    >>> with_ranks({"mean_test_score": np.array([0.8, np.nan, 0.9])})["rank_test_score"]
    array([2, 3, 1], dtype=int32)
    """
    ranked = dict(results)
    for name, mean in results.items():
        if name.startswith("mean_test_"):
            ranks = rankdata(-np.nan_to_num(mean, nan=-np.inf), method="min")
            ranked[name.replace("mean", "rank", 1)] = ranks.astype(np.int32)
    return ranked


def _sentence(name: str, attempt: Attempt) -> str:
    k = int(np.nan_to_num(attempt.mean, nan=-np.inf).argmax())
    score = f"{attempt.mean[k]:.3f} ± {attempt.error[k]:.3f}"
    count = attempt.counts[k]
    return f"{name}: {score} with {count} features, in {duration(attempt.seconds)}"


def compare_methods(
    selector: NeuralSelector, X: Any, y: Any, sample_weight: Any, groups: Any
) -> tuple[str, Comparison]:
    """Cross-validate the methods for K features; return the best and the scores of all.

    Every method is trained with one seed per fold. After Ctrl-C, the best so far is returned.
    """
    n_folds = _n_folds(y, X, selector._task.discrete)
    if groups is not None:
        n_groups = len(np.unique(np.asarray(groups)))
        n_folds, groups = min(n_folds, max(n_groups, 2)), groups if n_groups > 1 else None
    scoring = main_scoring(selector, y, n_folds, groups)
    count: Any = selector.n_features_to_select

    def attempt(method: str) -> Attempt:
        one = selector._single_run(method=method)
        validation = CrossValidation.plan(
            one,
            X,
            y,
            counts=[0.5 if count is None else count],
            cv=n_folds,
            scorer=Scorer.of(one, scoring),
            sample_weight=sample_weight,
            groups=groups,
        )
        tried = Attempt.of(validation, "score", {})
        if not any(tried.best[0]):
            raise InputError(f"Training diverged in every fold with {method}: scale the data.")
        return tried

    compared = MethodComparison.of(selector, attempt)
    scores, best = compared.scores(0), compared.names[compared.chosen[0]]
    if scoring is not None:
        scores["score"] = np.full(len(compared.names), scoring)
    n_tried = len(compared.attempts)
    skipped = compared.names[n_tried:]
    rest = f"; {', '.join(skipped)} were skipped" if skipped else ""
    tried = f"{n_tried} methods, compared in {duration(compared.seconds)}"
    _say(selector, f"{best} is the best of {tried}{rest}")
    return best, scores


def _n_folds(y: Any, X: Any, discrete: bool) -> int:
    """Return five folds, or as many as the rarest class has rows, at least two."""
    if not discrete or np.ndim(y) != 1:
        return min(N_FOLDS, len(X) if hasattr(X, "__len__") else X.shape[0])
    return max(2, min(N_FOLDS, int(np.unique(np.asarray(y), return_counts=True)[1].min())))


def _say(selector: NeuralSelector, sentence: str) -> None:
    """Log what was compared, and print it if the selector is verbose."""
    logger.info("method='auto': %s", sentence)
    if selector.verbose:
        print(f"method auto: {sentence}", file=sys.stderr, flush=True)
