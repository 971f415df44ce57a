"""From a file and a few words about it to numbers that a selector can learn from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli import columns, task
from ipcae.cli.messages import Messages
from ipcae.cli.task import DetectedTask
from ipcae.data import read_table
from ipcae.errors import InputError
from ipcae.text import listed

FEWEST_ROWS = 10
"""Fewer rows cannot be divided into rows to train on, to validate and to test."""


@dataclass(frozen=True)
class Request:
    """Which table, and what in it."""

    table: Path
    target: str | None = None
    task: str | None = None
    drop: tuple[str, ...] = ()
    drop_missing: bool = False


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows without gaps and what to predict from them.

    Shape: X (N, D), floating-point numbers; y (N,), as the task expects it, or None.
    """

    X: pd.DataFrame
    y: NDArray[np.generic] | None
    task: DetectedTask
    target: str | None
    place: str


def read_problem(request: Request, messages: Messages) -> Problem:
    """Read the table and refuse, in a sentence each, what training could not cope with."""
    place = str(request.table)
    table = read_table(request.table)
    names = [str(name) for name in table.columns]
    target = request.target
    if target is not None:
        target = columns.column_named(target, names, place, "--target")
        if words := columns.nested(table[target]):
            raise InputError(
                f'column "{target}" of {place} holds {words}: expected a number or a text in '
                "every row. Choose another --target."
            )
    drop = [columns.column_named(name, names, place, "--drop") for name in request.drop]
    if target in drop:
        raise InputError(f'"{target}" is the --target: it cannot be left out with --drop as well.')
    unwanted = drop if target is None else [*drop, target]
    others = table.drop(columns=unwanted) if unwanted else table
    if others.empty:
        raise InputError(f"{place} has no columns left to choose from.")
    X = columns.numbers_of(others, place, has_target=target is not None)
    y = None if target is None else table[target].reset_index(drop=True)
    X, y = _without_gaps(X, y, request, messages)
    _check_size(X, place)
    kind = task.detect_task(y, request.task)
    _advise(X, request, messages)
    targets = None if y is None else task.read_target(y, kind.task, place)
    return Problem(X, targets, kind, target, place)


def _without_gaps(
    X: pd.DataFrame, y: pd.Series | None, request: Request, messages: Messages
) -> tuple[pd.DataFrame, pd.Series | None]:
    place = str(request.table)
    gaps = np.zeros(len(X), dtype=bool) if y is None else _missing(y)
    if not request.drop_missing:
        if gaps.any():
            raise InputError(
                f'the target "{request.target}" is missing in {gaps.sum()} of {len(X)} rows of '
                f"{place}: fill it in, or leave those rows out with --drop-missing."
            )
        columns.refuse_not_finite(X, place)
        return X, y
    gaps = gaps | ~np.isfinite(X.to_numpy()).all(1)
    if gaps.all():
        raise InputError(
            f"every row of {place} has a missing value: --drop-missing would leave none. Leave out "
            "the columns with the most gaps with --drop COLUMN."
        )
    if gaps.any():
        messages.warn(f"{gaps.sum()} of {len(X)} rows have missing values and are left out.")
    keep = ~gaps
    return X[keep].reset_index(drop=True), None if y is None else y[keep].reset_index(drop=True)


def _missing(y: pd.Series) -> NDArray[np.bool_]:
    if columns.is_number(y):
        return ~np.isfinite(y.to_numpy(dtype=np.float64, na_value=np.nan))
    return y.isna().to_numpy(dtype=bool)


def _check_size(X: pd.DataFrame, place: str) -> None:
    if len(X) < FEWEST_ROWS:
        raise InputError(
            f"{place} has {len(X)} rows: expected at least {FEWEST_ROWS}, to divide them into rows "
            "to train on, to validate and to test."
        )
    values = X.to_numpy()
    if (values.min(0) == values.max(0)).all():
        raise InputError(f"every column of {place} is constant: there is nothing to choose by.")


def _advise(X: pd.DataFrame, request: Request, messages: Messages) -> None:
    counters = columns.row_numbers(X)
    if counters:
        messages.warn(
            f"{listed(counters)} only counts the rows: if it is an id, leave it out with "
            f'--drop "{counters[0]}".'
        )
    if request.target is None and request.table.suffix == ".npz" and "y" in X.columns:
        messages.warn(
            "the array y of the file is a column like the others: --target y predicts it, "
            "--drop y leaves it out."
        )
