"""A method, cross-validated for several numbers of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.cross_validation import Best, CrossValidation, Results
from ipcae.evaluation.folds import Fold, split_scores, standard_errors


@dataclass(frozen=True, eq=False)
class Attempt:
    """A method, cross-validated for all numbers of features, without the table.

    ``selector`` has read the table, but is not fitted. ``score`` is the name of the score that
    decides.
    """

    selector: NeuralSelector
    counts: list[int]
    folds: list[Fold]
    best: Best
    results: Results
    score: str
    seconds: float

    @classmethod
    def of(cls, validation: CrossValidation, score: str, params: dict[str, Any]) -> Attempt:
        """Train and score the folds, with ``params`` for the scorer."""
        best, seconds = validation.fit()
        results = validation.results(best, params)
        given = validation.selector, validation.counts, validation.folds
        return cls(*given, best, results, score, seconds)

    @property
    def mean(self) -> Floats:
        """The mean score for every number of features. Shape: (K,)."""
        return self.results[f"mean_test_{self.score}"]

    @property
    def error(self) -> Floats:
        """The standard error of the mean score over the folds. Shape: (K,)."""
        return standard_errors(split_scores(self.results, self.score))

    @property
    def interrupted(self) -> bool:
        """Whether the training was interrupted, so that scores may be missing."""
        return any(fit is not None and fit._interrupted for folds in self.best for fit in folds)

    def joined(self, other: Attempt) -> Attempt:
        """Return the attempt with other numbers of features, compared by the same folds."""
        counts, best = [*self.counts, *other.counts], [*self.best, *other.best]
        order = np.argsort(counts)
        results = {
            name: np.concatenate([ours, other.results[name]])[order]
            for name, ours in self.results.items()
        }
        return replace(
            self,
            counts=[counts[i] for i in order],
            best=[best[i] for i in order],
            results=results,
            seconds=self.seconds + other.seconds,
        )
