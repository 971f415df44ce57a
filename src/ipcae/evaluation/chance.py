"""A test of a selector's out-of-fold predictions against chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.association import Association
from ipcae.tasks import METRICS
from ipcae.text import number

LEVEL, N_FOLDS, N_PERMUTATIONS = 0.05, 5, 2000
N_BINS, MOST_PER_BIN = 40, 10**6


@dataclass(frozen=True)
class ChanceTest:
    """The result of :func:`ipcae.chance_test`.

    Attributes
    ----------
    p_value : float
        Probability of an association at least this strong by chance.
    statistic : float
        Association of the out-of-fold predictions with the target, in standard deviations of the
        null distribution.
    null : array of shape (n_permutations,)
        The statistic for permuted targets.
    score : float
        The main metric of the task, averaged over the folds.
    metric : str
        Name of this metric.
    n_folds, n_rows : int
        Number of folds, and of rows in all of them. A single fold is rows that were held out.
    level : float
        The result is called better than chance if the p-value is at most this level.
    n_groups : int, optional
        Number of groups of rows, if there are groups.
    baseline : float
        The metric of the best constant prediction in the same folds; NaN if it is not known.
    least_p : float
        The p-value if all groups of rows agreed. If it is above the level, there are too few
        groups to tell.
    n_compared : int
        Number of methods or numbers of features that were compared. The score is that of the
        chosen one, which is optimistic if there are several.
    dependent : bool
        Whether rows seem to depend on each other, although there are no groups: the p-value is then
        too small.

    See Also
    --------
    chance_test : Compute it.
    plots.NullDisplay : Draw the null distribution.

    Examples
    --------
    >>> test = ChanceTest(0.01, 3.1, 0.9, "accuracy", n_folds=5, n_rows=80)
    >>> test.better, test.p_text
    (True, 'p = 0.01')
    """

    p_value: float
    statistic: float
    score: float
    metric: str
    n_folds: int
    n_rows: int
    level: float = LEVEL
    n_groups: int | None = None
    baseline: float = math.nan
    least_p: float = 0.0
    n_compared: int = 1
    dependent: bool = False
    null: Floats = field(default_factory=lambda: np.empty(0), repr=False, compare=False)

    @property
    def better(self) -> bool:
        """Whether the predictions are better than chance."""
        return self.p_value <= self.level

    @property
    def p_text(self) -> str:
        """The p-value, such as "p = 0.03"."""
        return "p < 0.001" if self.p_value < 0.001 else f"p = {number(self.p_value, 2)}"

    @property
    def no_more_accurate(self) -> bool:
        """Whether the score is not better than that of the best constant prediction."""
        gain = self.score - self.baseline
        return (gain if METRICS[self.metric].higher_is_better else -gain) <= 0

    @property
    def undecidable(self) -> bool:
        """Whether there are too few groups for any result to be called better than chance."""
        return self.least_p > self.level

    @property
    def headline(self) -> str:
        """The verdict in a few words, with which :attr:`sentence` begins."""
        if self.better and self.dependent:
            return "Better than chance only if rows are independent, but they do not seem to be"
        if self.better:
            return "Better than chance"
        return (
            "Too few groups to tell from chance" if self.undecidable else "Not better than chance"
        )

    @property
    def sentence(self) -> str:
        """The verdict in words.

        A few rows do not prove that there is nothing to find:

        >>> ChanceTest(0.06, 1.6, 0.8, "roc_auc", 5, 18).sentence.split(", how well ")
        ... # doctest: +NORMALIZE_WHITESPACE
        ['Not better than chance (p = 0.06): with these 18 rows', 'features selected in the same way
         predict held-out rows may be due to chance (ROC AUC 0.800 in 5-fold cross-validation).']

        >>> ChanceTest(0.0005, 9.2, 0.9, "r2", 1, 1000).sentence
        'Better than chance (p < 0.001; R² 0.900 on 1,000 held-out rows).'

        The score of one that was chosen from several is optimistic:

        >>> ChanceTest(0.01, 2.9, 0.9, "r2", 5, 80, n_compared=7).sentence
        'Better than chance (p = 0.01; R² 0.900 in 5-fold cross-validation, chosen from 7).'

        With few groups of rows, no result could be called better than chance:

        >>> ChanceTest(0.09, 1.4, 0.9, "r2", 4, 80, n_groups=8, least_p=0.09).sentence[:59]
        'Too few groups to tell from chance: with these 80 rows of 8'

        Predictions may be associated with the target and still be no better than a constant one:

        >>> test = ChanceTest(0.03, 1.9, 0.47, "balanced_accuracy", 5, 80, baseline=0.5)
        >>> test.sentence[:82]
        'Better than chance (p = 0.03), but no more accurate than the best constant predict'
        """
        metric = METRICS[self.metric]
        where = f"in {self.n_folds}-fold cross-validation"
        if self.n_folds == 1:
            where = f"on {self.n_rows:,} held-out rows"
        found = f"{metric.label} {metric.write(self.score)} {where}"
        if self.n_compared > 1:
            found += f", chosen from {self.n_compared}"
        if self.better and self.no_more_accurate:
            return (
                f"{self.headline} ({self.p_text}), but no more accurate than the best constant "
                f"prediction: {found}, against {metric.write(self.baseline)}."
            )
        if self.better:
            return f"{self.headline} ({self.p_text}; {found})."
        rows = f"these {self.n_rows:,} rows"
        if self.n_groups is not None:
            rows += f" of {self.n_groups:,} groups"
        if self.undecidable:
            return (
                f"{self.headline}: with {rows}, even a result on which all "
                f"groups agree has p = {number(self.least_p, 2)} ({found})."
            )
        return (
            f"{self.headline} ({self.p_text}): with {rows}, how well features selected in the same "
            f"way predict held-out rows may be due to chance ({found})."
        )

    def summary(self) -> dict[str, Any]:
        """Return the result for ``metrics.json``, with a histogram of the null distribution."""
        counts, edges = np.histogram(self.null, bins=N_BINS)
        return {
            "p_value": self.p_value,
            "better": self.better,
            "level": self.level,
            "statistic": self.statistic,
            "metric": self.metric,
            "score": self.score,
            "baseline": None if math.isnan(self.baseline) else self.baseline,
            "folds": self.n_folds,
            "rows": self.n_rows,
            "groups": self.n_groups,
            "least_p": self.least_p,
            "compared": self.n_compared,
            "dependent": self.dependent,
            "sentence": self.sentence,
            "null": {"counts": counts.tolist(), "edges": edges.tolist()},
        }

    @classmethod
    def from_summary(cls, content: dict[str, Any]) -> ChanceTest:
        """Return the test of a :meth:`summary`; its null distribution is that of the histogram.

        >>> test = ChanceTest(0.4, 0.2, 0.6, "roc_auc", 5, 80, baseline=0.5, null=np.zeros(9))
        >>> ChanceTest.from_summary(test.summary()) == test
        True
        """
        edges = np.asarray(content["null"]["edges"], dtype=np.float64)
        counts = np.asarray(content["null"]["counts"], dtype=np.int64)
        if content["metric"] not in METRICS or len(edges) != len(counts) + 1 or (counts < 0).any():
            raise ValueError("it is not the summary of a test against chance")
        null = np.repeat((edges[1:] + edges[:-1]) / 2, np.minimum(counts, MOST_PER_BIN))
        # The ends are in the first and the last bin: the histogram is the same again.
        null[:1], null[-1:] = edges[0], edges[-1]
        baseline = content.get("baseline")
        numbers = {
            name: float(content[name]) for name in ("p_value", "statistic", "score", "level")
        }
        return cls(
            **numbers,
            metric=content["metric"],
            n_folds=int(content["folds"]),
            n_rows=int(content["rows"]),
            n_groups=None if content.get("groups") is None else int(content["groups"]),
            baseline=math.nan if baseline is None else float(baseline),
            least_p=float(content.get("least_p") or 0.0),
            n_compared=int(content.get("compared") or 1),
            dependent=bool(content.get("dependent")),
            null=null,
        )


def compare_with_chance(attempts: Sequence[Association], level: float = LEVEL) -> ChanceTest:
    """Test whether the largest of some associations is larger than by chance.

    With several attempts, such as several methods or numbers of features, it is compared with the
    largest of all attempts for the same permuted targets: trying more of them does not help.
    """
    best = max(attempts, key=lambda attempt: attempt.statistic)
    null = np.max([attempt.null for attempt in attempts], axis=0)
    largest = max(attempt.largest for attempt in attempts)
    return ChanceTest(
        p_value=p_value(best.statistic, null),
        statistic=best.statistic,
        null=null,
        score=best.score,
        metric=best.metric,
        baseline=best.baseline,
        n_folds=best.n_folds,
        n_rows=best.n_rows,
        n_groups=best.n_groups,
        least_p=0.0 if math.isinf(largest) else p_value(largest, null),
        n_compared=len(attempts),
        level=level,
    )


def p_value(statistic: float, null: Floats) -> float:
    """Return how probable at least this statistic is, given a sample of the null distribution.

    >>> p_value(1.0, np.array([0.0, 0.5, 2.0]))
    0.5
    """
    return (1 + int((null >= statistic - 1e-12).sum())) / (1 + len(null))
