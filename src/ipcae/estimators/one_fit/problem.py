"""State the problem of a fit: seeds, training and validation rows, scaling, constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.estimators.one_fit import arguments, streaming
from ipcae.estimators.one_fit.avoided import avoid_constant_columns, avoid_copies
from ipcae.estimators.one_fit.encoding import encoded_constraints
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.sources import StreamedRows
from ipcae.tables import (
    Scaler,
    detected_scaler,
    fit_scaler,
    read_rows,
    refuse_overflow,
    scaler_of,
    split_rows,
)
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.expansion import Expansion
from ipcae.tasks import Task
from ipcae.training import Problem
from ipcae.training.choices.adapting import MOST_ROWS
from ipcae.training.plan import TALL_COLUMNS

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector


@dataclass(frozen=True)
class Seeds:
    """The seeds of a fit."""

    split: int
    order: int
    runs: list[int]

    @classmethod
    def draw(cls, random_state: Any, n_runs: int) -> Seeds:
        """Draw all seeds from a random state."""
        random = arguments.random_for(random_state)
        split, order, *runs = random.randint(2**31 - 1, size=2 + n_runs).tolist()
        return cls(split, order, runs)


def hold_out(
    selector: NeuralSelector, settings: Settings, table: Table, X_val: Any, y_val: Any, seed: int
) -> tuple[Rows, Rows]:
    """Return the training and validation rows, from a split of the table or from ``X_val``."""
    if X_val is None:
        if y_val is not None:
            raise InputError("y_val was given without X_val: expected both or neither.")
        if isinstance(table.rows, StreamedRows):
            return streaming.hold_out_sample(table.rows, table, settings, seed)
        strata = table.task.strata(table.rows.targets)
        fraction = settings.validation_fraction
        return split_rows(table.rows, fraction, strata, seed, table.groups)
    if table.groups is not None:
        raise InputError(
            "groups and X_val were both given: groups tell which rows of X to hold out together, "
            "but with X_val none are held out. Pass one of them."
        )
    if isinstance(X_val, tuple) and len(X_val) == 2 and y_val is None:
        raise InputError("X_val is a pair: pass its two parts as X_val and y_val.")
    inputs = read_rows(selector, X_val, "X_val")
    if y_val is None and table.task.supervised:
        raise InputError("X_val was given without y_val: expected both or neither.")
    rows = table.rows
    if isinstance(rows, StreamedRows):
        summary = streaming.summarize(rows.source, settings.device, table.names)
        rows = replace(rows, summary=summary)
    return rows, Rows(inputs, table.task.encode(y_val, inputs, "y_val"))


def state_problem(
    settings: Settings, table: Table, training: Rows, validation: Rows, seeds: Seeds
) -> tuple[Problem, Scaler | EncodedScaler, Constraints]:
    """Scale the rows and collect everything that a method needs in a :class:`Problem`.

    Return the problem, in terms of encoded columns, and the scaler and the constraints of the
    user's columns.
    """
    constraints = table.constraints
    if settings.unique:
        constraints = avoid_constant_columns(table, _extremes(training))
        if not training.streamed:
            constraints = avoid_copies(training.inputs, constraints)
    scaler = _fit_scaler(settings, table, training)
    task = table.task.fitted(training, scaler, table.loss)
    rows, validation_rows = (
        _scaled(part, task, scaler, table.names, settings.device) for part in (training, validation)
    )
    held_out = training is not table.rows
    problem = Problem(
        task=task,
        loss=task.loss_for(table.loss),
        rows=rows,
        validation=validation_rows,
        runs=runs_of(settings, seeds.runs),
        plan=settings.plan_of(len(training), seeds.order),
        n_selected=table.n_selected,
        decoder=settings.decoder,
        constraints=encoded_constraints(constraints, scaler),
        unique=settings.unique,
        fine_tune_epochs=settings.fine_tune_epochs,
        callbacks=settings.callbacks,
        checkpoint=settings.checkpoint,
        held_out=held_out,
        refit=settings.refit if held_out and not training.streamed else False,
        adaptive=_is_adaptive(settings, table),
    )
    return problem, scaler, constraints


def _is_adaptive(settings: Settings, table: Table) -> bool:
    """Return whether the decoder may be adapted to the table.

    With groups, it is not adapted to targets, which was not measured, and neither are tables with
    many rows and many columns. The decoders of a reconstruction are compared on whole groups.
    """
    n_rows, n_features = table.shape
    measured = n_rows <= MOST_ROWS or n_features <= TALL_COLUMNS
    comparable = table.groups is None or not table.task.supervised
    known = measured and comparable and not table.rows.streamed
    return settings.adaptive and table.task.adaptive and known


def _fit_scaler(settings: Settings, table: Table, training: Rows) -> Scaler | EncodedScaler:
    """Fit the scaler to the training rows, or to their summary if they are read in parts."""
    if table.encoding is not None:
        expansion = Expansion.of(table.encoding.codings, training.inputs)
        return EncodedScaler.fit(expansion, training.inputs, settings.scale)
    if table.task.binary_inputs:
        return detected_scaler(training.inputs.shape[1])
    if isinstance(training, StreamedRows) and training.summary is not None:
        return scaler_of(training.summary, settings.scale)
    return fit_scaler(training.inputs, settings.scale)


def _scaled(
    rows: Rows,
    task: Task,
    scaler: Scaler | EncodedScaler,
    names: list[str] | None,
    device: torch.device,
) -> Rows:
    """Scale rows and move them to the device of the training; refuse values that overflow."""
    refuse_overflow(scaler, _extremes(rows), names)
    targets = rows.given_targets
    if targets is not None:
        if task.supervised and task.head.scaler is not None:
            refuse_overflow(task.head.scaler, targets, name="y")
        targets = task.scaled(targets)
    if isinstance(rows, StreamedRows):
        if task.restores_rows:
            rows = replace(rows, targets_of=task.restored)
        return rows.scaled(scaler, targets).to(device).kept_if_small()
    return Rows(scaler.apply(rows.inputs), targets, rows.weights, rows.groups).to(device)


def _extremes(rows: Rows) -> Tensor:
    """Return the inputs, or two rows with the extremes of those that are read in parts."""
    if isinstance(rows, StreamedRows) and rows.summary is not None:
        return rows.summary.extremes
    return rows.inputs


def runs_of(settings: Settings, seeds: list[int]) -> Runs:
    """Return the runs with these seeds."""
    return Runs.of(seeds, settings.learning_rate, settings.method.penalty_weight)
