"""The metrics of a fitted selector, beside those of a constant prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How well a selector predicts a sample.

    Attributes
    ----------
    task : Task
    outputs : Tensor of shape (N, O)
        The decoder's, in float64.
    targets : Tensor
        As the task encodes them; for a reconstruction the rows.
    metrics, baseline : dict of str to float
        Of the selector, and of a prediction that is the same for every row.
    """

    task: Task
    outputs: Tensor
    targets: Tensor
    metrics: dict[str, float]
    baseline: dict[str, float]

    @property
    def score(self) -> float:
        """The task's first metric."""
        return self.metrics[self.task.score]

    @property
    def baseline_score(self) -> float:
        """The task's first metric, of the baseline."""
        return self.baseline[self.task.score]


def evaluate_selector(selector: Any, sample: Sample, training: Sample | None = None) -> Evaluation:
    """Measure a fitted selector on a sample.

    The baseline is learned from the training rows or, without them, from the sample itself.
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
    )
