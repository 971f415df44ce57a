"""Is there anything to find? A test of a selector's out-of-fold predictions against chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.evaluation.sample import Sample
from ipcae.feature_table import reconstructed_columns
from ipcae.tasks import METRICS, Reconstruction, Task
from ipcae.text import number

LEVEL, N_FOLDS, N_PERMUTATIONS = 0.05, 5, 2000
INFLATION = 2.0
"""Variance of the sum over folds, relative to independent folds; see docs/decisions/0010."""
N_BINS, MOST_PER_BIN = 40, 10**6
_MOST_ROWS = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ChanceTest:
    """The result of :func:`ipcae.chance_test`.

    Attributes
    ----------
    p_value : float
        Probability of so strong an association by chance.
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
    level : float
        The result is called better than chance if the p-value is at most this level.
    """

    p_value: float
    statistic: float
    score: float
    metric: str
    n_folds: int
    n_rows: int
    level: float = LEVEL
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
    def sentence(self) -> str:
        """The verdict in words.

        >>> ChanceTest(0.4, 0.2, 0.5, "roc_auc", 5, 80).sentence[:38]
        'Not better than chance (p = 0.4): with'
        """
        metric = METRICS[self.metric]
        found = f"{metric.label} {metric.write(self.score)} in {self.n_folds}-fold cross-validation"
        if self.better:
            return f"Better than chance ({self.p_text}; {found})."
        return (
            f"Not better than chance ({self.p_text}): with these {self.n_rows:,} rows, features "
            f"selected in the same way predict held-out rows no better than chance ({found})."
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
            "folds": self.n_folds,
            "rows": self.n_rows,
            "sentence": self.sentence,
            "null": {"counts": counts.tolist(), "edges": edges.tolist()},
        }

    @classmethod
    def from_summary(cls, content: dict[str, Any]) -> ChanceTest:
        """Return the test of a :meth:`summary`; its null distribution is that of the histogram.

        >>> test = ChanceTest(0.4, 0.2, 0.5, "roc_auc", 5, 80, null=np.zeros(9))
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
        numbers = {
            name: float(content[name]) for name in ("p_value", "statistic", "score", "level")
        }
        return cls(
            **numbers,
            metric=content["metric"],
            n_folds=int(content["folds"]),
            n_rows=int(content["rows"]),
            null=null,
        )


def compare_with_chance(
    fitted: Sequence[Any],
    samples: Sequence[Sample],
    *,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    seed: int = 0,
) -> ChanceTest:
    """Compare the predictions of selectors for the rows that were left out of their folds.

    Parameters
    ----------
    fitted : sequence of selector
        A fitted selector for every fold.
    samples : sequence of Sample
        The rows that were left out.
    """
    random = np.random.default_rng(seed)
    folds = [
        _fold_statistic(selector, sample, n_permutations, random)
        for selector, sample in zip(fitted, samples, strict=True)
    ]
    statistic = float(np.sum([statistic for statistic, _, _ in folds]))
    # Widened, the null distribution belongs to folds that are not independent of each other.
    null = np.sqrt(INFLATION) * np.sum([null for _, null, _ in folds], axis=0)
    scale = np.sqrt(INFLATION * len(folds))
    return ChanceTest(
        p_value=(1 + int((null >= statistic - 1e-12).sum())) / (1 + n_permutations),
        statistic=float(statistic / scale),
        null=null / scale,
        score=float(np.nanmean([score for _, _, score in folds])),
        metric=fitted[0].task_.score,
        n_folds=len(folds),
        n_rows=sum(len(sample) for sample in samples),
        level=level,
    )


def _fold_statistic(
    fitted: Any, sample: Sample, n_permutations: int, random: np.random.Generator
) -> tuple[float, Floats, float]:
    """Return the standardized association in a fold, that of permutations, and the score."""
    task: Task = fitted.task_
    outputs = fitted.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    score = task.metrics(outputs, targets)[task.score]
    if task.head.restores_columns:
        columns = reconstructed_columns(fitted)[1]
        if isinstance(task, Reconstruction) and hasattr(fitted, "encoding_"):
            targets, outputs = map(torch.from_numpy, task.compared(outputs, targets))
        others = np.flatnonzero(~fitted.get_support()[columns])
        outputs, targets = outputs[:, others], targets[:, others]
    part = slice(_MOST_ROWS)
    predicted, true = task.association(outputs[part], targets[part])
    predicted, true = predicted - predicted.mean(0), true - true.mean(0)
    products = predicted @ true.T
    n_rows = len(products)
    spread = np.sqrt(np.square(products).sum() / max(n_rows - 1, 1))
    if n_rows < 2 or not spread > 0:
        return 0.0, np.zeros(n_permutations), score
    orders = random.permuted(np.tile(np.arange(n_rows), (n_permutations, 1)), axis=1)
    null = products[np.arange(n_rows), orders].sum(1) / spread
    return float(products.trace() / spread), null, score
