"""The steps of ``fit``, from the user's table to the fitted attributes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from torch import Tensor

from ipcae.constraints import Constraints, affordable, read_constraints, require_feasible
from ipcae.errors import InputError, as_input_error, warn
from ipcae.estimators import arguments, streaming
from ipcae.estimators.encoding import (
    expanded_constraints,
    own_importance,
    own_selections,
    without_left_out,
)
from ipcae.estimators.folds import require_one_each
from ipcae.estimators.memory import Sizes, estimate, free_bytes
from ipcae.estimators.settings import Settings, decoder_of
from ipcae.feature_table import feature_names
from ipcae.losses import Loss
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import effective_rows, nearly_independent, recommended
from ipcae.selectors.recommended import depends_on_correlations
from ipcae.sources import Source, StreamedRows
from ipcae.tables import (
    Scaler,
    detected_scaler,
    fit_scaler,
    read_rows,
    read_weights,
    refuse_overflow,
    scaler_of,
    split_rows,
)
from ipcae.tables.encoded_scaler import EncodedScaler
from ipcae.tables.encoding import Encoding
from ipcae.tables.expansion import Expansion
from ipcae.tables.reading import as_array, count_to_select, read_new_rows
from ipcae.tasks import Task
from ipcae.text import byte_size, listed
from ipcae.training import Choice, Problem
from ipcae.training.step import outputs_of

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector


@dataclass(frozen=True, eq=False)
class Table:
    """The user's table in the original units, with its task and loss.

    The rows are tensors, or read in parts (:class:`ipcae.sources.StreamedRows`).
    """

    rows: Rows
    task: Task
    loss: Loss
    n_selected: int
    constraints: Constraints
    encoding: Encoding | None = None
    groups: NDArray[Any] | None = None


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


def read_table(
    selector: NeuralSelector, X: Any, y: Any, sample_weight: Any, groups: Any = None
) -> Table:
    """Check X, y, the sample weights and the groups, and convert the former to tensors."""
    if hasattr(selector, "encoding_"):
        del selector.encoding_
    streaming.refuse_source(X, "A comparison of several fits")
    options = {name: getattr(selector, name) for name in ("categories", "missing", "dates")}
    inputs, encoding = read_new_rows(selector, X, **options)
    if encoding is not None:
        selector.encoding_ = encoding
    n_selected, constraints = constraints_for(selector, feature_names(selector), encoding)
    weights = read_weights(sample_weight, inputs)
    task = selector._fitted_task.read(y, inputs, type(selector).__name__)
    targets = task.encode(y, inputs)
    if targets is not None:
        weights = selector._row_weights(task, targets, weights)
    rows = Rows(inputs, targets, weights)
    groups = _read_groups(groups, len(rows))
    if weights is not None and not bool(weights.all()):
        # Rows of weight 0 must not influence scaling or validation either.
        counted = weights.nonzero().flatten()
        rows = rows.take(counted)
        groups = None if groups is None else groups[counted.cpu().numpy()]
    loss = selector._loss_for(task)
    return Table(rows, task, loss, n_selected, constraints, encoding, groups)


def read_source(
    selector: NeuralSelector, source: Source, y: Any, sample_weight: Any, groups: Any = None
) -> Table:
    """Check a table that is read in parts, its target, the sample weights and the groups."""
    if hasattr(selector, "encoding_"):
        del selector.encoding_
    rows, task = streaming.read_source(selector, source, y, sample_weight)
    n_selected, constraints = constraints_for(selector, feature_names(selector))
    groups = _read_groups(groups, len(rows))
    if rows.weights is not None and not bool(rows.weights.all()):
        counted = rows.weights.nonzero().flatten().numpy()
        rows = rows.subset(counted)
        groups = None if groups is None else groups[counted]
    loss = selector._loss_for(task)
    return Table(rows, task, loss, n_selected, constraints, groups=groups)


def _read_groups(groups: Any, n_rows: int) -> NDArray[Any] | None:
    if groups is None:
        return None
    read = np.asarray(as_array(groups))
    require_one_each(read, n_rows)
    return read


def constraints_for(
    selector: NeuralSelector, names: list[str], encoding: Encoding | None = None
) -> tuple[int, Constraints]:
    """Return K and the constraints of a table with these columns, or raise an error.

    A fraction is one of the features that may be selected.
    """
    wanted = selector.n_features_to_select
    constraints = read_constraints(
        names,
        selector.include,
        selector.exclude,
        selector.feature_groups,
        selector.at_most,
        selector.feature_costs,
        selector.budget,
    )
    constraints = without_left_out(constraints, encoding)
    n_included, n_features = len(constraints.included_units), constraints.n_features
    if wanted is None and constraints.budget is not None:
        n_selected = max(affordable(constraints), 1)
    else:
        if wanted is None or isinstance(wanted, float | np.floating):
            n_features = n_included + len(constraints.candidates)
        n_selected = count_to_select(wanted, max(n_features, 1))
        n_selected = max(n_selected, n_included) if wanted is None else n_selected
    require_feasible(constraints, n_selected, names)
    return n_selected, constraints


def ranges_of(
    table: Table, training: Rows, validation: Rows
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest value of every column, NaN if it has no numbers.

    Shape: -> (D,), (D,).
    """
    if isinstance(training, StreamedRows):
        return streaming.ranges_of(training, validation)
    inputs = table.rows.inputs
    if table.encoding is None:
        low, high = inputs.amin(0), inputs.amax(0)
    else:
        numbers = [coding.used and not coding.levels for coding in table.encoding.codings]
        known = torch.tensor(numbers, device=inputs.device)
        low = torch.where(known, inputs.nan_to_num(nan=torch.inf).amin(0), torch.nan)
        high = torch.where(known, inputs.nan_to_num(nan=-torch.inf).amax(0), torch.nan)
    return low.double().cpu().numpy(), high.double().cpu().numpy()


def choose_method(selector: NeuralSelector, settings: Settings, table: Table) -> Settings:
    """Return the settings with method and decoder for the shape of the table, unless given."""
    n_rows, n_features = len(table.rows), table.rows.inputs.shape[1]
    settings = replace(settings, decoder=decoder_of(selector, settings.method, n_rows))
    if isinstance(selector.method, str) and selector.method == "auto":
        selector.method_reason_ = "it was the best of those compared"
        return settings
    if selector.method is not None:
        selector.method_, selector.method_reason_ = selector.method, "it was asked for"
        if isinstance(table.rows, StreamedRows) and not settings.method.streams:
            raise InputError(
                f"method={selector.method!r} needs all rows in memory, but X is read in parts: "
                "leave out the method to use 'ip-cae', or pass an array."
            )
        return settings
    streamed = isinstance(table.rows, StreamedRows)
    shape = selector._task, n_rows, n_features, table.n_selected
    independent = n_effective = None
    if depends_on_correlations(selector._task, n_rows) and not streamed:
        independent = nearly_independent(table.rows.inputs)
        if table.groups is not None:
            n_effective = effective_rows(table.rows.inputs.cpu().numpy(), table.groups)
    advice = recommended(
        *shape, streamed=streamed, independent=independent, n_effective=n_effective
    )
    selector.method_, selector.method_reason_ = advice.method, advice.reason
    method = arguments.method_for(advice.method, selector.noise_draws, selector._task)
    return replace(settings, method=method, decoder=decoder_of(selector, method, n_rows))


def warn_if_memory_is_short(settings: Settings, table: Table) -> None:
    """Warn if the fit needs more memory than is free."""
    free = free_bytes(settings.device)
    n_rows, n_features, n_outputs = (
        len(table.rows),
        table.rows.inputs.shape[1],
        table.task.n_outputs,
    )
    # A cheap upper bound: for most tables it avoids the slower estimate.
    most = 160 * (n_rows + settings.n_runs * max(n_features, n_rows)) * max(n_features, n_outputs)
    most += settings.n_runs * 2**30
    if free is None or most < free:
        return
    itemsize = table.rows.inputs.element_size()
    sizes = Sizes.of(settings, n_rows, n_features, table.n_selected, n_outputs, itemsize)
    needed = estimate(settings.method, sizes, settings.device)
    if needed.total > free:
        warn(
            f"The fit needs about {byte_size(needed.total)}, but only {byte_size(free)} are free "
            f"({needed!r}). Reduce n_runs, or the size of the embedding: Full(size='auto') limits "
            "P to 128, whereas W grows with the square of the number of features with "
            "Full(size='features')."
        )


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


def avoid_constant_columns(
    selector: NeuralSelector, inputs: Tensor, n_selected: int, constraints: Constraints
) -> Constraints:
    """Let constant columns be selected only if there are not enough others; warn about them."""
    constant = (inputs.amin(0) == inputs.amax(0)).nonzero().flatten().tolist()
    avoiding = replace(constraints, avoided=tuple(constant))
    avoided = np.setdiff1d(avoiding.candidates, avoiding.preferred)
    if not len(avoided):
        return avoiding
    constant = avoiding.columns(avoided).tolist()
    names = feature_names(selector) if hasattr(selector, "feature_names_in_") else None
    labels = [str(c) if names is None else names[c] for c in constant]
    n_varying = len(avoiding.included_units) + len(avoiding.preferred)
    outcome = "they will not be selected."
    if n_selected > n_varying:
        outcome = (
            f"{n_selected - n_varying} of them had to be selected, since only {n_varying} columns "
            "vary."
        )
    warn(
        f"{len(constant)} of {inputs.shape[1]} columns are constant in the training rows "
        f"({listed(labels)}): {outcome}"
    )
    return avoiding


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


def calibrate(problem: Problem, choice: Choice, training: Rows) -> Task:
    """Return the task with what depends on the trained decoders."""
    return problem.task.calibrated(
        lambda: outputs_of(choice.model, choice.params, problem.rows), training
    )


def keep(selector: NeuralSelector, choice: Choice, seeds: Seeds) -> None:
    """Store the result as fitted attributes, on the CPU."""
    usable = np.isfinite(choice.validation_loss)
    if not usable.any():
        raise InputError(
            "Training diverged in every run: no validation loss was finite. Scale the data "
            "(scale='auto'), lower the learning rate or check the loss function."
        )
    for run, status in enumerate(choice.status):
        if status == "diverged":
            state = "its best state before that is kept" if usable[run] else "it is left out"
            warn(f"Run {run} (seed {seeds.runs[run]}) diverged; {state}.")
    if "interrupted" in choice.status:
        warn("Training was interrupted; the best state so far is kept.")
    selections, importance = choice.selections, choice.importance
    if isinstance(selector.scaler_, EncodedScaler):
        selections = own_selections(selector, selections)
        importance = own_importance(importance, selections, selector.scaler_.expansion)
    selector.selections_ = selections
    selector.validation_loss_ = choice.validation_loss
    selector.best_run_ = int(np.argmin(choice.validation_loss))
    selector.importance_ = importance
    selector.run_seeds_ = seeds.runs
    selector.run_status_ = choice.status
    selector.best_epoch_ = choice.best_epoch
    selector.history_ = choice.history.columns()
    selector.fit_seconds_ = choice.seconds
    selector.model_ = choice.model
    selector.params_ = {name: tensor.detach().cpu() for name, tensor in choice.params.items()}
