"""Metrics of a fitted selector and of a constant baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from ipcae.evaluation.intervals import Interval, bootstrap_intervals
from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task

FEWEST_ROWS = 10
"""Metrics on fewer rows say very little."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The metrics of a selector on a sample.

    Attributes
    ----------
    task : Task
    outputs : Tensor of shape (N, O)
        Outputs of the decoder, in float64.
    targets : Tensor
        Encoded targets; for reconstruction, the rows.
    metrics, baseline : dict of str to float
        Metrics of the selector, and of a constant prediction.
    intervals : dict of str to (float, float)
        95 % confidence intervals of the metrics, by bootstrap over the rows or their groups.
    """

    task: Task
    outputs: Tensor
    targets: Tensor
    metrics: dict[str, float]
    baseline: dict[str, float]
    intervals: dict[str, Interval]

    @property
    def score(self) -> float:
        """The main metric of the task."""
        return self.metrics[self.task.score]

    @property
    def baseline_score(self) -> float:
        """The main metric of the task, for the baseline."""
        return self.baseline[self.task.score]

    @property
    def cautions(self) -> list[str]:
        """Sentences about what cannot be evaluated because there are too few rows."""
        if len(self.targets) < FEWEST_ROWS:
            return [
                f"{len(self.targets)} rows are too few for a reliable evaluation: rely on the "
                "comparison with chance, which uses all rows."
            ]
        return self.task.cautions(self.targets)

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the main metric, or None."""
        return self.intervals.get(self.task.score)


def evaluate_selector(selector: Any, sample: Sample, training: Sample | None = None) -> Evaluation:
    """Evaluate a fitted selector on a sample.

    The baseline is computed from ``training`` or, by default, from the sample itself.
    """
    task: Task = selector.task_
    outputs = selector.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    constant = task.baseline((training or sample).rows.targets).expand_as(outputs)
    return Evaluation(
        task=task,
        outputs=outputs,
        targets=targets,
        metrics=task.metrics(outputs, targets),
        baseline=task.metrics(constant, targets),
        intervals=bootstrap_intervals(task, outputs, targets, groups=sample.groups),
    )
