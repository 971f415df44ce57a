"""Detecting the task from the target column, and reading the target for that task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.columns import is_number
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS
from ipcae.estimators.supervised import SupervisedSelector
from ipcae.tables.encodings.cells import cells_of
from ipcae.tables.encodings.coding import MOST_LEVELS, ColumnCoding
from ipcae.tasks import TASKS, Classification, Panel, Reconstruction, Regression, Task
from ipcae.tasks.integer_classes import are_classes


@dataclass(frozen=True)
class DetectedTask:
    """A task, the reason for it, and a remark, such as how to choose another one."""

    task: type[Task]
    reason: str
    hint: str = ""

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.task.name


def detect_task(target: pd.Series | None, requested: str | None = None) -> DetectedTask:
    """Return the requested task, or detect it from the target.

    Text, categories and booleans are classes, but dates are refused. Integers are classes if there
    are two distinct values, or few with many rows each. Other numbers are continuous.

    >>> detect_task(pd.Series(["a", "b", "a"], name="kind")).name
    'classification'
    >>> detect_task(pd.Series([1.5, 2.5, 3.0], name="price")).reason
    '"price" has 3 distinct numbers'
    """
    if target is not None and (requested is None or not TASKS[requested].discrete):
        _refuse_dates(target)
    if requested is not None:
        _check_requested(requested, target)
        return DetectedTask(TASKS[requested], f"--task is {requested}")
    if target is None:
        return DetectedTask(Reconstruction, "no --target is given")
    return _detected(target)


def for_cells(detected: DetectedTask) -> DetectedTask:
    """Return the task of a gene panel, which has two objectives, instead of classification.

    >>> for_cells(detect_task(pd.Series(["T", "B", "T"], name="cell_type"))).name
    'panel'
    """
    if detected.task is not Classification:
        return detected
    return DetectedTask(
        Panel, detected.reason, "use --task classification to leave out the reconstruction"
    )


def _check_requested(requested: str, target: pd.Series | None) -> None:
    if TASKS[requested].censored:
        raise InputError(
            f"--task {requested} needs two columns: name them with --time and --event."
        )
    needs_target = issubclass(SELECTORS[requested], SupervisedSelector)
    if needs_target and target is None:
        raise InputError(f"--task {requested} needs a column to predict: name it with --target.")
    if target is not None and not needs_target:
        raise InputError(
            f'--task {requested} does not use a target: remove --target "{target.name}", and add '
            f'--drop "{target.name}" if the column is not a feature either.'
        )


def _refuse_dates(target: pd.Series) -> None:
    if is_number(target) or ColumnCoding.of(cells_of(target)).kind != "date":
        return
    raise InputError(
        f'the target "{target.name}" has dates, such as "{target.dropna().iloc[0]}": expected '
        "numbers or classes. Replace them by numbers, such as the days since a common start, or "
        "use --task classification if every date is a class."
    )


def _detected(target: pd.Series) -> DetectedTask:
    name, n_values = f'"{target.name}"', target.nunique()
    kind = getattr(target.dtype, "kind", "O")
    if kind == "b":
        return DetectedTask(Classification, f"{name} is boolean")
    if isinstance(target.dtype, pd.CategoricalDtype) or not is_number(target):
        return DetectedTask(Classification, f"{name} is text with {n_values:,} distinct values")
    values = target.to_numpy(dtype=np.float64)
    if not np.array_equal(values, np.round(values)):
        unit = f", in {target.attrs['unit']}" if target.attrs.get("unit") else ""
        return DetectedTask(Regression, f"{name} has {n_values:,} distinct numbers{unit}")
    reason = f"{name} has {n_values:,} distinct integers"
    if are_classes(values):
        hint = "use --task regression if the target is an amount or a count" if n_values > 2 else ""
        return DetectedTask(Classification, reason, hint)
    if n_values > MOST_LEVELS:
        return DetectedTask(Regression, reason)
    return DetectedTask(
        Regression,
        f"{reason}, too many or too rare for classes",
        "use --task classification if the target is categorical",
    )


def read_target(target: pd.Series, task: type[Task], place: str) -> NDArray[np.generic]:
    """Return the target as the task expects it, or raise an error that says what is wrong."""
    return classes_of(target, place) if task.discrete else numbers_to_predict(target, place)


def classes_of(target: pd.Series, place: str) -> NDArray[np.generic]:
    """Return the class of every row: integers, booleans or text.

    Integers that were read as floats, because values were missing, become integers again. Other
    floats become text, since scikit-learn does not accept them as classes.
    """
    labels = _labels(target)
    classes, counts = np.unique(labels, return_counts=True)
    column = f'column "{target.name}" of {place}'
    if len(classes) == 1:
        raise InputError(f'{column} has only one class, "{classes[0]}": expected at least two.')
    if counts.max() == 1 or len(classes) > len(labels) / 2:
        other = ", or use --task regression if the target is an amount or a count"
        raise InputError(
            f"{column} has {len(classes)} distinct values in {len(labels)} rows, such as "
            f'"{labels[0]}": expected classes with several rows each. Choose another --target'
            f"{other if is_number(target) else ', or convert it to numbers'}."
        )
    return labels


def _labels(target: pd.Series) -> NDArray[np.generic]:
    if not is_number(target):
        return target.astype(str).to_numpy(dtype=np.str_)
    if target.dtype.kind == "b":
        return target.to_numpy(dtype=np.bool_)
    if target.dtype.kind != "f":
        return target.to_numpy(dtype=f"{target.dtype.kind}8")
    values = target.to_numpy(dtype=np.float64)
    integers = bool((values == np.round(values)).all() and (abs(values) < 2**53).all())
    return values.astype(np.int64) if integers else values.astype(np.str_)


def numbers_to_predict(target: pd.Series, place: str) -> NDArray[np.float64]:
    """Return the number to predict for every row."""
    column = f'column "{target.name}" of {place}'
    if not is_number(target):
        raise InputError(
            f'{column} is not numeric (such as "{target.iloc[0]}"): --task regression expects '
            "numbers. Remove --task, or choose another --target."
        )
    values = target.to_numpy(dtype=np.float64)
    if values.min() == values.max():
        raise InputError(f"{column} is {values[0]:g} in every row: there is nothing to predict.")
    return values
