"""State the problem of a fit: seeds, training and validation rows, scaling, constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_random_state

from ipcae.constraints import Constraints
from ipcae.errors import InputError, as_input_error
from ipcae.estimators import streaming
from ipcae.estimators.avoided import avoid_constant_columns, avoid_copies
from ipcae.estimators.encoding import expanded_constraints
from ipcae.estimators.settings import Settings
from ipcae.estimators.table import Table
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
from ipcae.tables.encoded_scaler import EncodedScaler
from ipcae.tables.expansion import Expansion
from ipcae.training import Problem

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
        with as_input_error():
            random = check_random_state(random_state)
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
            names = getattr(selector, "feature_names_in_", None)
            return streaming.hold_out_sample(
                table.rows, table.task, settings, seed, names, table.groups
            )
        strata = table.task.strata(table.rows.targets)
        fraction = settings.validation_fraction
        return split_rows(table.rows, fraction, strata, seed, table.groups)
    if table.groups is not None:
        raise InputError(
            "groups and X_val were both given: groups tell which rows of X to hold out together, "
            "but with X_val none are held out. Pass one of them."
        )
    inputs = read_rows(selector, X_val, reset=False, name="X_val")
    if y_val is None and table.task.supervised:
        raise InputError("X_val was given without y_val: expected both or neither.")
    rows = table.rows
    if isinstance(rows, StreamedRows):
        names = getattr(selector, "feature_names_in_", None)
        rows = replace(rows, summary=streaming.summarize(rows.source, settings.device, names))
    return rows, Rows(inputs, table.task.encode(y_val, inputs, "y_val"))


def state_problem(
    selector: NeuralSelector,
    settings: Settings,
    table: Table,
    training: Rows,
    validation: Rows,
    seeds: Seeds,
    runs: Runs | None = None,
) -> tuple[Problem, Scaler | EncodedScaler, Constraints]:
    """Scale the rows and collect everything that a method needs in a :class:`Problem`.

    By default, the runs differ in their seeds, learning rates and penalty weights only. Return the
    problem, in terms of encoded columns, and the scaler and the constraints of the user's columns.
    """
    constraints = table.constraints
    summary = training.summary if isinstance(training, StreamedRows) else None
    if settings.unique:
        known = training.inputs if summary is None else summary.extremes
        constraints = avoid_constant_columns(selector, known, table.n_selected, constraints)
        if summary is None:
            constraints = avoid_copies(training.inputs, constraints)
    scaler: Scaler | EncodedScaler
    if table.task.binary_inputs and table.encoding is None:
        scaler, encoded = detected_scaler(training.inputs.shape[1]), constraints
    elif summary is not None:
        scaler, encoded = scaler_of(summary, settings.scale), constraints
    elif table.encoding is None:
        scaler, encoded = fit_scaler(training.inputs, settings.scale), constraints
    else:
        expansion = Expansion.of(table.encoding.codings, training.inputs)
        scaler = EncodedScaler.fit(expansion, training.inputs, settings.scale)
        encoded = expanded_constraints(constraints, expansion)
    task = table.task.fitted(training, scaler, table.loss)

    names = getattr(selector, "feature_names_in_", None)

    def scaled(rows: Rows) -> Rows:
        targets = rows.given_targets
        own = rows.summary if isinstance(rows, StreamedRows) else None
        refuse_overflow(scaler, rows.inputs if own is None else own.extremes, names)
        if targets is not None and task.supervised and task.head.scaler is not None:
            refuse_overflow(task.head.scaler, targets, name="y")
        targets = None if targets is None else task.scaled(targets)
        if isinstance(rows, StreamedRows):
            if task.restores_rows:
                rows = replace(rows, targets_of=task.restored)
            return rows.scaled(scaler, targets).to(settings.device).kept_if_small()
        return Rows(scaler.apply(rows.inputs), targets, rows.weights).to(settings.device)

    held_out = training is not table.rows
    problem = Problem(
        task=task,
        loss=task.loss_for(table.loss),
        rows=scaled(training),
        validation=scaled(validation),
        runs=runs or runs_of(settings, seeds.runs),
        plan=settings.plan(len(training), seeds.order),
        n_selected=table.n_selected,
        decoder=settings.decoder,
        constraints=encoded,
        unique=settings.unique,
        fine_tune_epochs=settings.fine_tune_epochs,
        callbacks=settings.callbacks,
        checkpoint=settings.checkpoint,
        held_out=held_out,
        refit=held_out and settings.refit and not isinstance(training, StreamedRows),
    )
    return problem, scaler, constraints


def runs_of(settings: Settings, seeds: list[int]) -> Runs:
    """Return the runs with these seeds."""
    return Runs.of(seeds, settings.learning_rate, settings.method.penalty_weight)
