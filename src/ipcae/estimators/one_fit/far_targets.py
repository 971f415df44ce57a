"""Targets that are far from all others, and dominate squared errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import FarTargetWarning, warn
from ipcae.losses import Loss, SquaredError
from ipcae.selectors.classical.statistics.outliers import far_outliers
from ipcae.tasks import Task
from ipcae.text import count, listed


def predicts_numbers(task: Task | type[Task]) -> bool:
    """Return whether the targets are numbers.

    >>> from ipcae.tasks import Classification, Regression
    >>> predicts_numbers(Regression), predicts_numbers(Classification)
    (True, False)
    """
    return task.supervised and not (task.discrete or task.censored)


def far_targets_sentence(values: NDArray[Any], owner: str, remedy: str) -> str | None:
    """Return a sentence about the targets that are far from all others, None if there are none.

    >>> print(far_targets_sentence(np.array([1e6, *range(50)]), "y", "loss='huber'"))
    y has 1 value far from the others (1e+06), on which squared errors depend most: correct it if \
it is wrong, or use loss='huber'.
    """
    far = far_outliers(np.asarray(values, dtype=np.float64))
    if not len(far):
        return None
    them = "it if it is" if len(far) == 1 else "them if they are"
    return (
        f"{owner} has {count(len(far), 'value')} far from the others "
        f"({listed([f'{value:g}' for value in far])}), on which squared errors depend most: "
        f"correct {them} wrong, or use {remedy}."
    )


def warn_of_far_targets(targets: Any, task: Task, loss: Loss) -> None:
    """Warn of targets that are far from all others, if the loss is the squared error."""
    if not (predicts_numbers(task) and isinstance(loss, SquaredError)):
        return
    for column in targets.double().cpu().numpy().reshape(len(targets), -1).T:
        if sentence := far_targets_sentence(column, "y", "loss='huber'"):
            warn(sentence, FarTargetWarning)
