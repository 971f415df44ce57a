"""Cross-validate several methods and numbers of features with the same folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.cross_validation import Best, CrossValidation, Results, standard_errors
from ipcae.estimators.method_comparison import Comparison, candidates_for, say
from ipcae.text import duration

REASON = "it was the best of those compared"


def is_auto(method: Any) -> bool:
    """Return whether several methods are to be compared."""
    return isinstance(method, str) and method == "auto"


@dataclass(frozen=True, eq=False)
class Attempt:
    """A method, cross-validated for all numbers of features.

    Shape: mean, error (K,), of the score that decides.
    """

    validation: CrossValidation
    best: Best
    results: Results
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    seconds: float

    @classmethod
    def of(cls, validation: CrossValidation, score: str, params: dict[str, Any]) -> Attempt:
        """Train and score the folds, with ``params`` for the scorer."""
        best, seconds = validation.fit()
        results = validation.results(best, params)
        mean, error = results[f"mean_test_{score}"], standard_errors(results, score)
        return cls(validation, best, results, mean, error, seconds)

    @property
    def interrupted(self) -> bool:
        """Whether the training was interrupted, so that scores may be missing."""
        return any(run is not None and run.interrupted for folds in self.best for run in folds)


@dataclass(frozen=True, eq=False)
class MethodsByCount:
    """The methods that were compared: the first of ``names``.

    For every number of features, the method with the best mean score is used. Shape: chosen (K,),
    positions in ``attempts``.
    """

    names: list[Any]
    attempts: list[Attempt]
    chosen: NDArray[np.int64]

    @classmethod
    def compare(cls, selector: NeuralSelector, attempt: Callable[[Any], Attempt]) -> MethodsByCount:
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
                say(selector, _sentence(name, tried))
            if tried.interrupted or tried.mean[0] + tried.error[0] >= 1:
                break
        means = np.stack([each.mean for each in attempts])
        return cls(names, attempts, np.nan_to_num(means, nan=-np.inf).argmax(0))

    @property
    def validation(self) -> CrossValidation:
        """The cross-validation of the first method; the folds of the others are the same."""
        return self.attempts[0].validation

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
            return self.attempts[0].results
        results = {
            name: np.stack([self.attempts[i].results[name][k] for k, i in enumerate(self.chosen)])
            for name in self.attempts[0].results
        }
        for name in results:
            if name.startswith("rank_test_"):
                mean = results[name.replace("rank", "mean", 1)]
                ranks = rankdata(-np.nan_to_num(mean, nan=-np.inf), method="min")
                results[name] = ranks.astype(np.int32)
        return {**results, "method": np.array([self.names[i] for i in self.chosen])}

    def comparison(self, k: int) -> Comparison:
        """Return the scores of all methods for one number of features."""
        done, n_names = self.attempts, len(self.names)

        def padded(values: list[float]) -> NDArray[np.float64]:
            return np.array([*values, *[math.nan] * (n_names - len(done))])

        return {
            "method": np.array(self.names),
            "mean_test_score": padded([float(each.mean[k]) for each in done]),
            "standard_error": padded([float(each.error[k]) for each in done]),
            "seconds": padded([each.seconds for each in done]),
            "compared": np.arange(n_names) < len(done),
            "chosen": np.arange(n_names) == self.chosen[k],
        }


def _sentence(name: str, attempt: Attempt) -> str:
    k = int(np.nan_to_num(attempt.mean, nan=-np.inf).argmax())
    score = f"{attempt.mean[k]:.3f} ± {attempt.error[k]:.3f}"
    count = attempt.validation.counts[k]
    return f"{name}: {score} with {count} features, in {duration(attempt.seconds)}"
