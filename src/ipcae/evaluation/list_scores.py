"""The scores of lists of features in every fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.without_feature import WithoutFeature
from ipcae.tasks import METRICS


@dataclass(frozen=True, eq=False)
class ListScore:
    """The metrics of a list of features on the left-out rows of every fold.

    Shape: metrics (F,) for every metric; several lists, as the random ones, have (L, F).
    """

    name: str
    n_features: int
    metrics: dict[str, Floats]

    def mean(self, metric: str) -> float:
        """Return the mean over folds and lists."""
        return float(np.nanmean(self.metrics[metric]))

    def error(self, metric: str) -> float:
        """Return the standard error of the mean over the folds."""
        values = self.metrics[metric]
        per_fold = values.mean(0) if values.ndim > 1 else values
        return float(np.nanstd(per_fold, ddof=1) / np.sqrt(len(per_fold)))


@dataclass(frozen=True, eq=False)
class ListEvaluation:
    """The result of :func:`ipcae.evaluate_features`.

    Attributes
    ----------
    features : list of str
        The given list.
    scores : list of ListScore
        The given list first, then the others.
    without : list of WithoutFeature
        What is lost without each of the given features, largest loss first.
    metric : str
        Name of the main metric.
    n_rows, n_folds : int
    baseline : float
        The main metric of a constant prediction.

    See Also
    --------
    evaluate_features : Compute it.
    report.list_html : Show it as a page.

    Examples
    --------
    >>> scores = [ListScore("given", 2, {"accuracy": np.array([0.9, 0.7])})]
    >>> result = ListEvaluation(["a", "b"], scores, [], "accuracy", 80, 2, baseline=0.5)
    >>> result.given.mean("accuracy")
    0.8
    """

    features: list[str]
    scores: list[ListScore]
    without: list[WithoutFeature]
    metric: str
    n_rows: int
    n_folds: int
    baseline: float

    def __str__(self) -> str:
        return self.sentence

    @property
    def given(self) -> ListScore:
        """The score of the given list."""
        return self.scores[0]

    @property
    def metric_names(self) -> list[str]:
        """The names of all metrics, the main one first."""
        return [self.metric, *(name for name in self.given.metrics if name != self.metric)]

    @property
    def random(self) -> ListScore | None:
        """The scores of the random lists, if there are any."""
        return next((s for s in self.scores if next(iter(s.metrics.values())).ndim > 1), None)

    @property
    def sentence(self) -> str:
        """The result in words."""
        metric, write = METRICS[self.metric], METRICS[self.metric].write
        sign = 1 if metric.higher_is_better else -1
        given = self.given.mean(self.metric)
        one = len(self.features) == 1
        features = "feature reaches" if one else f"{len(self.features):,} features reach"
        words = f"The given {features} {metric.label} {write(given)}"
        if self.random is not None:
            means = np.nanmean(self.random.metrics[self.metric], axis=1)
            beaten = int((sign * given > sign * means).sum())
            words += f", better than {beaten} of {len(means)} random lists"
        others = [s for s in self.scores[1:] if s is not self.random]
        if others:
            best = max(others, key=lambda score: sign * score.mean(self.metric))
            words += f"; the best other list, {best.name}, reaches {write(best.mean(self.metric))}"
        return f"{words}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per list, with the mean and the standard error of every metric."""
        return [
            {
                "list": score.name,
                "features": score.n_features,
                **{
                    key: value
                    for name in score.metrics
                    for key, value in (
                        (name, score.mean(name)),
                        (f"{name}_error", score.error(name)),
                    )
                },
            }
            for score in self.scores
        ]

    def summary(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {
            "features": self.features,
            "metric": self.metric,
            "rows": self.n_rows,
            "folds": self.n_folds,
            "baseline": self.baseline,
            "sentence": self.sentence,
            "lists": self.rows(),
            "without": [
                {
                    "feature": each.name,
                    "loss": each.loss,
                    "error": each.error,
                    "redundant": each.redundant,
                    "closest": each.closest,
                    "correlation": each.correlation,
                }
                for each in self.without
            ],
        }
