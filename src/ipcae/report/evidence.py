"""What the selector's own decoder is worth on the rows it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.report.markup import fixed, number, percent
from ipcae.report.sample import Sample
from ipcae.report.task import CLASSES, COLUMNS, LABELS, Task, guess_for, score, task_of


@dataclass(frozen=True, eq=False)
class Evidence:
    """Measured on some rows.

    Attributes
    ----------
    outputs, targets : Tensor
        Of the decoder and the truth: class scores and numbers, zeros and ones, or numbers in the
        unit that ``score`` is computed in.
    score, guess : float
        The task's one number, and that of a guess without features.
    metrics : list of (name, value, guess)
        As text.
    """

    task: Task
    outputs: Tensor
    targets: Tensor
    score: float
    guess: float
    metrics: list[tuple[str, str, str]]

    def confusion(self) -> NDArray[np.int64]:
        """Count rows by true class and predicted class. Shape: (C, C)."""
        n_classes = self.outputs.shape[1]
        pairs = self.targets * n_classes + self.outputs.argmax(-1)
        counts = torch.bincount(pairs, minlength=n_classes**2)
        return counts.view(n_classes, n_classes).numpy()

    def explained_by_column(self) -> NDArray[np.float64]:
        """Return R² of every output; not a number where the truth does not vary. Shape: (O,)."""
        missed = (self.outputs - self.targets).square().sum(0)
        total = (self.targets - self.targets.mean(0)).square().sum(0)
        return torch.where(total > 0, 1 - missed / total, torch.nan).numpy()

    def row_errors(self) -> NDArray[np.float64]:
        """Return the mean squared error of every row. Shape: (N,)."""
        return (self.outputs - self.targets).square().mean(-1).numpy()


def gather(selector: Any, sample: Sample, training: Sample | None) -> Evidence:
    """Measure; a guess is made from the training rows or, without them, from the same rows."""
    task = task_of(selector)
    learned = (training or sample).targets
    outputs = selector._outputs(sample.rows).double()
    targets = sample.targets
    if task is COLUMNS:
        targets = selector.scaler_.apply(sample.rows).double()
        learned = selector.scaler_.apply(learned)
    elif task not in (CLASSES, LABELS):
        outputs = selector.target_scaler_.invert(outputs)
    guess = guess_for(task, learned).expand(len(outputs), -1)
    if guess.shape[1] < outputs.shape[1]:  # the last classes have no rows to learn from
        rest = outputs.shape[1] - guess.shape[1]
        guess = torch.nn.functional.pad(guess, (0, rest), value=-torch.inf)
    values, guessed = _metrics(task, outputs, targets), _metrics(task, guess, targets)
    return Evidence(
        task=task,
        outputs=outputs,
        targets=targets,
        score=score(task, outputs, targets),
        guess=score(task, guess, targets),
        metrics=[(name, value, guessed[name]) for name, value in values.items()],
    )


def _metrics(task: Task, outputs: Tensor, targets: Tensor) -> dict[str, str]:
    value = score(task, outputs, targets)
    if task is CLASSES:
        right = outputs.argmax(-1) == targets
        recalls = [right[targets == c].double().mean() for c in targets.unique()]
        log = torch.log_softmax(outputs, -1).gather(-1, targets[:, None]).clamp(min=np.log(1e-15))
        return {
            "accuracy": percent(value),
            "balanced accuracy": percent(float(torch.stack(recalls).mean())),
            "log loss": number(float(-log.mean())),
        }
    if task is LABELS:
        all_right = ((outputs > 0) == (targets > 0.5)).all(-1)
        return {
            "labels right": percent(value),
            "rows with all labels right": percent(float(all_right.double().mean())),
        }
    errors = outputs - targets
    if task is COLUMNS:
        per_row = errors.norm(dim=-1).mean() / errors.shape[1]
        return {"R²": fixed(value, 3), "mean ‖x − x̂‖ / D, scaled columns": number(float(per_row))}
    return {
        "R²": fixed(value, 3),
        "mean absolute error": number(float(errors.abs().mean())),
        "root mean squared error": number(float(errors.square().mean().sqrt())),
    }
