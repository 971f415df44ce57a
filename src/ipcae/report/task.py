"""What a selector was asked to do, and the one number that says how well it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ipcae.estimators import ClassificationSelector, RegressionSelector
from ipcae.report.markup import fixed, percent


@dataclass(frozen=True)
class Task:
    """A task: its name, the name of its score, and what a guess without features is."""

    name: str
    score: str
    guess: str

    def worth(self, score: float) -> str:
        """Write the score as people say it."""
        counted = self.name in ("classification", "labels")
        return percent(score) if counted else fixed(score, 3)


CLASSES = Task("classification", "accuracy", "the commonest class")
LABELS = Task("labels", "labels right", "the commoner answer for each label")
NUMBERS = Task("regression", "R²", "the mean")
COLUMNS = Task("reconstruction", "R² of all columns", "the mean")


def task_of(selector: Any) -> Task:
    """Return the task of a fitted selector."""
    if isinstance(selector, ClassificationSelector):
        return LABELS if selector.multilabel_ else CLASSES
    return NUMBERS if isinstance(selector, RegressionSelector) else COLUMNS


def score(task: Task, outputs: Tensor, targets: Tensor) -> float:
    """Return the fraction of the classes, of the labels or of the variance that is right.

    Shape: outputs (N, O); targets (N,) class numbers, or (N, O) in the scale of the outputs.

    >>> score(NUMBERS, torch.tensor([[0.0], [1.0]]), torch.tensor([[0.0], [2.0]]))
    0.5
    """
    if task is CLASSES:
        return float((outputs.argmax(-1) == targets).double().mean())
    if task is LABELS:
        return float(((outputs > 0) == (targets > 0.5)).double().mean())
    targets = targets.double()
    missed = (outputs.double() - targets).square().sum(0)
    total = (targets - targets.mean(0)).square().sum(0)
    if task is COLUMNS:
        return float(1 - missed.sum() / total.sum()) if total.sum() > 0 else float("nan")
    varying = total > 0
    return float((1 - missed[varying] / total[varying]).mean()) if varying.any() else float("nan")


def guess_for(task: Task, learned: Tensor) -> Tensor:
    """Return the outputs of a guess that knows the targets' distribution alone. Shape: (1, O)."""
    if task is CLASSES:
        return torch.bincount(learned).double().log()[None]
    if task is LABELS:
        return learned.double().mean(0, keepdim=True) - 0.5
    return learned.double().mean(0, keepdim=True)
