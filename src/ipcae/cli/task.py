"""The task that a target column is for, and the target as that task expects it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.columns import is_number
from ipcae.errors import InputError
from ipcae.tasks import TASKS, Classification, Reconstruction, Regression, Task

MOST_CLASSES = 30
"""Whole numbers with more different values than this are taken as amounts, not as classes."""
ROWS_PER_CLASS = 10
"""Whole numbers are taken as classes where each stands for so many rows, on average."""


CHOICES = (Classification.name, Regression.name, Reconstruction.name)


@dataclass(frozen=True)
class DetectedTask:
    """The task, why it is that one, and how to ask for another where both are plausible."""

    task: type[Task]
    reason: str
    hint: str = ""

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.task.name


def detect_task(target: pd.Series | None, asked: str | None = None) -> DetectedTask:
    """Tell the task from the target, unless somebody asked for one.

    Text, categories and truth values are classes. So are whole numbers with two different values,
    or with few that each stand for many rows. Other numbers are amounts.

    >>> detect_task(pd.Series(["a", "b", "a"], name="kind")).name
    'classification'
    >>> detect_task(pd.Series([1.5, 2.5, 3.0], name="price")).reason
    '"price" holds 3 different numbers'
    """
    if target is None:
        if asked not in (None, Reconstruction.name):
            raise InputError(f"--task {asked} needs a column to predict: name it with --target.")
        return DetectedTask(
            Reconstruction, "there is no --target: all columns are to be reconstructed"
        )
    if asked == Reconstruction.name:
        raise InputError(
            f'--task reconstruction predicts no column: leave out --target "{target.name}", and '
            f'add --drop "{target.name}" if it is not to be reconstructed either.'
        )
    if asked is not None:
        return DetectedTask(TASKS[asked], "--task says so")
    return _detected(target)


def _detected(target: pd.Series) -> DetectedTask:
    name, n_values = f'"{target.name}"', target.nunique()
    kind = getattr(target.dtype, "kind", "O")
    if kind == "b":
        return DetectedTask(Classification, f"{name} holds truth values")
    if isinstance(target.dtype, pd.CategoricalDtype) or not is_number(target):
        return DetectedTask(Classification, f"{name} holds text with {n_values} different values")
    values = target.to_numpy(dtype=np.float64)
    if not np.array_equal(values, np.round(values)):
        return DetectedTask(Regression, f"{name} holds {n_values} different numbers")
    few = n_values <= MOST_CLASSES and n_values * ROWS_PER_CLASS <= len(target)
    if n_values <= 2 or few:
        return DetectedTask(
            Classification,
            f"{name} holds {n_values} different whole numbers",
            "--task regression if they are amounts",
        )
    return DetectedTask(
        Regression,
        f"{name} holds {n_values} different whole numbers, too many for classes",
        "--task classification if they are classes",
    )


def read_target(target: pd.Series, task: type[Task], place: str) -> NDArray[np.generic]:
    """Return the target as the task expects it, or say in a sentence what is wrong with it."""
    return _READERS[task.name](target, place)


def classes_of(target: pd.Series, place: str) -> NDArray[np.generic]:
    """Return the class of every row: a number, a truth value or text."""
    whole = is_number(target) and target.dtype.kind == "f"
    if whole and np.array_equal(target, np.round(target)):
        target = target.astype(np.int64)
    if is_number(target):
        labels = target.to_numpy(dtype=bool if target.dtype.kind == "b" else None)
    else:
        labels = target.astype(str).to_numpy(dtype=np.str_)
    classes, counts = np.unique(labels, return_counts=True)
    column = f'column "{target.name}" of {place}'
    if len(classes) == 1:
        raise InputError(
            f'{column} has only one class, "{classes[0]}": expected at least two to tell apart.'
        )
    if counts.max() == 1 or len(classes) > len(labels) / 2:
        raise InputError(
            f"{column} has {len(classes)} different values in {len(labels)} rows: expected classes "
            "that recur. Choose another --target, or --task regression if these are amounts."
        )
    return labels


def amounts_of(target: pd.Series, place: str) -> NDArray[np.float64]:
    """Return the number to predict for every row, refusing what cannot be predicted."""
    column = f'column "{target.name}" of {place}'
    if not is_number(target):
        raise InputError(
            f'{column} is not numeric (such as "{target.iloc[0]}"): --task regression expects '
            "numbers. Leave out --task, or choose another --target."
        )
    values = target.to_numpy(dtype=np.float64)
    if values.min() == values.max():
        raise InputError(f"{column} is {values[0]:g} in every row: there is nothing to predict.")
    return values


_READERS: dict[str, Callable[[pd.Series, str], NDArray[np.generic]]] = {
    Classification.name: classes_of,
    Regression.name: amounts_of,
}
