"""A fit, step by step: from the user's table to the fitted attributes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.errors import InputError, warn
from ipcae.estimators.mixins.sklearn_callbacks import forwarder_for
from ipcae.estimators.one_fit import arguments, streaming
from ipcae.estimators.one_fit.encoding import collapsed_importance, collapsed_selections
from ipcae.estimators.one_fit.memory import warn_if_memory_is_short
from ipcae.estimators.one_fit.problem import Seeds, hold_out, state_problem
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table, ranges_of, read_table
from ipcae.ops import matrix_precision
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import (
    Method,
    choose_within_constraints,
    effective_rows,
    nearly_independent,
    recommended,
)
from ipcae.selectors.classical.statistics.averages import repeated
from ipcae.selectors.classical.statistics.effective_rows import filled
from ipcae.selectors.dependent_rows import consecutive_blocks, linear_suffices
from ipcae.selectors.linear_effects import only_linear_effects
from ipcae.selectors.recommendation import (
    FEW_COLUMNS,
    FEW_EFFECTIVE,
    Recommendation,
    depends_on_correlations,
)
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks import Task
from ipcae.training import Choice, Problem
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.states.state import DIVERGED, INTERRUPTED

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector

BEST_OF_COMPARED = "it was the best of those compared"
"""The reason for a method that ``method="auto"`` chose."""


def fit(
    selector: NeuralSelector,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any = None,
    X_val: Any = None,
    y_val: Any = None,
) -> None:
    """Fit a selector: set its fitted attributes."""
    X = streaming.streamed(X)
    settings = Settings.of(selector, _compared_method(selector, X, y, sample_weight, groups))
    table = read_table(selector, X, y, sample_weight, groups)
    settings = choose_method(selector, settings, table)
    warn_if_memory_is_short(settings, table)
    seeds = Seeds.draw(selector.random_state, settings.n_runs)
    training, validation = hold_out(selector, settings, table, X_val, y_val, seeds.split)
    selector.data_min_, selector.data_max_ = ranges_of(table, training, validation)
    problem, selector.scaler_, selector.constraints_ = state_problem(
        settings, table, training, validation, seeds
    )
    selector.task_ = problem.task
    forwarder = forwarder_for(selector, X, y, sample_weight, settings)
    if forwarder is not None:
        problem = replace(problem, callbacks=(*problem.callbacks, forwarder))
    choice = choose_features(selector, settings, problem)
    selector.task_ = calibrate(problem, choice, training)
    set_fitted_attributes(selector, choice, problem.runs)
    if forwarder is not None:
        forwarder.finish()


def _compared_method(
    selector: NeuralSelector, X: Any, y: Any, sample_weight: Any, groups: Any
) -> Any:
    """Return the method; "auto" is the best of several, compared by cross-validation."""
    for name in ("method_", "comparison_"):
        selector.__dict__.pop(name, None)
    if not arguments.is_auto(selector.method):
        return selector.method
    streaming.refuse_source(X, "method='auto'")
    from ipcae.estimators.many_fits.method_comparison import compare_methods

    selector.method_, selector.comparison_ = compare_methods(selector, X, y, sample_weight, groups)
    return selector.method_


def choose_method(selector: NeuralSelector, settings: Settings, table: Table) -> Settings:
    """Return the settings with epochs, method and decoder for the table, unless given."""
    method = settings.method
    if arguments.is_auto(selector.method):
        selector.method_reason_ = BEST_OF_COMPARED
    elif selector.method is not None:
        _require_readable(selector, method, table)
        selector.method_, selector.method_reason_ = selector.method, "it was asked for"
    else:
        advice = _recommended_for(selector, table)
        selector.method_, selector.method_reason_ = advice.method, advice.reason
        method = arguments.method_for(advice.method, selector.noise_draws, selector._task)
    return settings.for_table(selector, method, table.task, table.shape, table.constraints)


def _require_readable(selector: NeuralSelector, method: Method, table: Table) -> None:
    """Raise an error if the method needs all rows in memory, but they are read in parts."""
    if table.rows.streamed and not (method.streams or method.samples):
        raise InputError(
            f"method={selector.method!r} needs all rows in memory, but X is read in parts: "
            "leave out the method, use 'ip-cae', or pass an array."
        )


def _recommended_for(selector: NeuralSelector, table: Table) -> Recommendation:
    """Return the default method for a table, whose correlations are estimated if they matter."""
    task, rows, (n_rows, n_features) = selector._task, table.rows, table.shape
    n_groups = _observed_groups(table)
    if n_groups is not None:
        return recommended(task, n_rows, n_features, table.n_selected, n_groups=n_groups)
    independent, n_effective, linear = None, None, True
    if depends_on_correlations(task, n_rows) and not rows.streamed:
        independent = nearly_independent(rows.inputs)
        inputs = rows.inputs.cpu().numpy()
        targets = table.task.ranking_targets(rows.targets).cpu().numpy().reshape(n_rows, -1)
        groups = table.groups
        if groups is None and n_features > FEW_COLUMNS and targets.shape[1] == 1:
            groups = consecutive_blocks(targets[:, 0])
        if groups is not None:
            n_effective = effective_rows(inputs, groups)
        if n_effective is not None and n_effective < FEW_EFFECTIVE:
            linear = linear_suffices(inputs, targets, table.n_selected, n_effective, table.groups)
        elif n_features > FEW_COLUMNS and not independent:
            weights = None if rows.weights is None else rows.weights.cpu().numpy()
            linear = only_linear_effects(inputs, targets, table.n_selected, weights)
    return recommended(
        task,
        n_rows,
        n_features,
        table.n_selected,
        streamed=rows.streamed,
        independent=independent,
        n_effective=n_effective,
        linear=linear,
    )


def _observed_groups(table: Table) -> int | None:
    """Return the number of groups if their rows only repeat an observation, or None."""
    rows, task, groups = table.rows, table.task, table.groups
    if groups is None or rows.streamed or not task.supervised or task.columns_weight(table.loss):
        return None
    inputs = filled(rows.inputs.cpu().double().numpy())
    targets = task.ranking_targets(rows.targets).cpu().double().numpy().reshape(len(rows), -1)
    if not repeated(inputs, targets, groups, task.discrete):
        return None
    return len(np.unique(groups))


def choose_features(selector: NeuralSelector, settings: Settings, problem: Problem) -> Choice:
    """Let the method choose features and train decoders; its checkpoint, if any, is locked."""
    method = settings.method
    if isinstance(selector.scaler_, EncodedScaler):
        method = method.encoded(selector.scaler_.expansion.owner)
    locked = problem.checkpoint.locked() if problem.checkpoint else nullcontext()
    with locked, matrix_precision(settings.precision):
        return choose_within_constraints(method, problem)


def calibrate(problem: Problem, choice: Choice, training: Rows) -> Task:
    """Return the task with what depends on the trained decoders."""
    return problem.task.calibrated(
        lambda: outputs_of(choice.model, choice.params, problem.rows), training
    )


def set_fitted_attributes(selector: NeuralSelector, choice: Choice, runs: Runs) -> None:
    """Store the result as fitted attributes, on the CPU."""
    usable = np.isfinite(choice.validation_loss)
    if not usable.any():
        raise InputError(
            "Training diverged in every run: no validation loss was finite. Scale the data "
            "(scale='auto'), lower the learning rate or check the loss function."
        )
    for run, status in enumerate(choice.status):
        if status == DIVERGED:
            state = "its best state before that is kept" if usable[run] else "it is left out"
            warn(f"Run {run} (seed {runs.seeds[run]}) diverged; {state}.")
    if INTERRUPTED in choice.status:
        warn("Training was interrupted; the best state so far is kept.")
    selector.selections_ = collapsed_selections(choice.selections, selector.scaler_)
    selector.validation_loss_ = choice.validation_loss
    selector.best_run_ = int(np.argmin(choice.validation_loss))
    selector.importance_ = collapsed_importance(
        choice.importance, selector.selections_, selector.scaler_
    )
    selector.run_seeds_ = list(runs.seeds)
    selector.run_status_ = choice.status
    selector.best_epoch_ = choice.best_epoch
    selector.history_ = choice.history.columns()
    selector.fit_seconds_ = choice.seconds
    selector.decoders_ = choice.decoders
    selector.model_ = choice.model
    selector.params_ = {name: tensor.detach().cpu() for name, tensor in choice.params.items()}
