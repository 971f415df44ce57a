"""A method, cross-validated for several numbers of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.cross_validation import Best, CrossValidation, Results, score_ranks
from ipcae.evaluation.folds import Fold, split_scores, standard_errors


@dataclass(frozen=True, eq=False)
class Attempt:
    """A method, cross-validated for all numbers of features, without the table.

    ``selector`` has read the table, but is not fitted. Shape: mean, error (K,), of the score that
    decides.
    """

    selector: NeuralSelector
    counts: list[int]
    folds: list[Fold]
    best: Best
    results: Results
    mean: Floats
    error: Floats
    seconds: float

    @classmethod
    def of(cls, validation: CrossValidation, score: str, params: dict[str, Any]) -> Attempt:
        """Train and score the folds, with ``params`` for the scorer."""
        best, seconds = validation.fit()
        results = validation.results(best, params)
        return cls(
            validation.selector,
            validation.counts,
            validation.folds,
            best,
            results,
            mean=results[f"mean_test_{score}"],
            error=standard_errors(split_scores(results, score)),
            seconds=seconds,
        )

    @property
    def interrupted(self) -> bool:
        """Whether the training was interrupted, so that scores may be missing."""
        return any(fit is not None and fit._interrupted for folds in self.best for fit in folds)

    def joined(self, other: Attempt) -> Attempt:
        """Return the attempt with other numbers of features, compared by the same folds."""
        order = np.argsort([*self.counts, *other.counts])

        def both(ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
            values = [*ours, *theirs]
            return [values[position] for position in order]

        results = {
            name: np.stack(both(list(ours), list(other.results[name])))
            for name, ours in self.results.items()
        }
        return replace(
            self,
            counts=both(self.counts, other.counts),
            best=both(self.best, other.best),
            results=with_ranks(results),
            mean=np.array(both(list(self.mean), list(other.mean))),
            error=np.array(both(list(self.error), list(other.error))),
            seconds=self.seconds + other.seconds,
        )


def with_ranks(results: Results) -> Results:
    """Return the results with the ranks of their mean scores."""
    ranks = {
        name: score_ranks(results[name.replace("rank", "mean", 1)])
        for name in results
        if name.startswith("rank_test_")
    }
    return {**results, **ranks}
