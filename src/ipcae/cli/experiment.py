"""One selection: hold out rows, fit on the others, evaluate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.cli.counts import counts_to_compare, search_for, summary_of
from ipcae.cli.inputs.input_table import InputTable
from ipcae.cli.inputs.rows_in_memory import check_options
from ipcae.cli.inputs.streamed_table import SourceFrame
from ipcae.cli.messages import Messages
from ipcae.cli.options.constraint_options import as_options, constraint_arguments
from ipcae.cli.options.expression_option import apply_limits, check_limits
from ipcae.cli.options.k_option import AUTO, count_features
from ipcae.cli.options.objective import objective_arguments
from ipcae.cli.options.selection_options import FitOptions
from ipcae.cli.splitting import split_rows
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS, ReconstructionSelector, StabilitySelection
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.one_fit.arguments import max_epochs_for
from ipcae.estimators.one_fit.table import constraints_for
from ipcae.evaluation import (
    ChanceTest,
    Evaluation,
    FdrSelection,
    RowStability,
    TableChecks,
    check_table,
    evaluate_selector,
    importance_on,
    read_sample,
)
from ipcae.evaluation.sample import most_rows
from ipcae.feature_table import FeatureTable, feature_names
from ipcae.sc.batches import balanced_weights, hold_out
from ipcae.sc.table import held_out_sample
from ipcae.selectors import method_named
from ipcae.tasks import METRICS
from ipcae.training import Callback
from ipcae.training.plan import is_tall


@dataclass(frozen=True, eq=False)
class Experiment:
    """A table, split into training rows and held-out rows, and how to fit.

    ``counts`` are the numbers of columns to compare by cross-validation, if any.
    """

    table: InputTable
    options: FitOptions
    n_selected: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    restrictions: dict[str, Any] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    objective: dict[str, Any] = field(default_factory=dict)

    @property
    def n_epochs(self) -> int:
        """The largest number of training epochs."""
        n_rows, n_columns = len(self.train), self.table.X.shape[1]
        method = self.options.method
        few = method is None or (method != "auto" and method_named(method).few_candidates)
        limited = {"at_most", "budget"} & self.restrictions.keys()
        tall = few and not limited and is_tall(n_rows, n_columns)
        return max_epochs_for(self.options.epochs or "auto", self.table.task.task, n_rows, tall)

    @property
    def training_rows(self) -> tuple[Any, Any]:
        """The features and the targets of the training rows."""
        y = self.table.y
        return self.table.X.iloc[self.train], None if y is None else y[self.train]

    def given(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """Return the groups and, if there are any, the weights of some rows, for a fit."""
        groups, weights = (
            None if values is None else values[rows]
            for values in (self.table.groups, self.table.weights)
        )
        return (
            {"groups": groups} if weights is None else {"groups": groups, "sample_weight": weights}
        )


@dataclass(frozen=True, eq=False)
class Result:
    """The fitted selector of an experiment and its evaluation on the held-out rows."""

    experiment: Experiment
    selector: Any
    features: FeatureTable
    evaluation: Evaluation
    checks: TableChecks = TableChecks()
    chance: ChanceTest | None = None
    stability: RowStability | None = None
    discoveries: FdrSelection | None = None
    cross_validation: dict[str, Any] | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def by_batch(self) -> dict[str, dict[str, float]]:
        """The metrics on the held-out rows of every batch."""
        batches, evaluation = self.experiment.table.batches, self.evaluation
        if batches is None:
            return {}
        held_out, result = batches[self.experiment.test], {}
        for name in np.unique(held_out):
            own = torch.from_numpy(held_out == name)
            if len(held_out) == len(evaluation.outputs) and int(own.sum()) > 1:
                metrics = evaluation.task.metrics(evaluation.outputs[own], evaluation.targets[own])
                result[str(name)] = metrics
        return result

    @property
    def batch_scores(self) -> dict[str, str]:
        """The score on the held-out rows of every batch, as text."""
        metric = METRICS[self.evaluation.task.score]
        return {
            name: f"{metric.label} {metric.write(values[self.evaluation.task.score])}"
            for name, values in self.by_batch.items()
        }

    @property
    def interrupted(self) -> bool:
        """Whether the training was interrupted with Ctrl-C."""
        return "interrupted" in self.selector.run_status_


def plan_experiment(
    table: InputTable, options: FitOptions, messages: Messages | None = None
) -> Experiment:
    """Determine K and split the rows; raise an error if the options do not fit the table."""
    n_columns = table.X.shape[1]
    if isinstance(table.X, SourceFrame):
        check_options(options, table.place)
    counts = counts_to_compare(options, n_columns, table.place)
    n_selected = max(counts, default=0) or count_features(
        options.n_features, n_columns, table.place
    )
    names = [str(name) for name in table.X.columns]
    restrictions = constraint_arguments(options, names, messages or Messages(quiet=True))
    if restrictions:
        n_selected, counts = _within(restrictions, options, counts, names)
    if options.class_weight and not table.task.task.discrete:
        raise InputError(
            f"--class-weight {options.class_weight} needs classes to predict, but the task is "
            f"{table.task.name}: leave it out."
        )
    check_limits(options, table.place)
    objective = objective_arguments(options, table.task.task)
    classes = None if table.y is None else table.task.task.split_labels(table.y)
    if table.batches is not None:
        train, test = hold_out(classes, table.batches, options.test_fraction, options.seed)
        if isinstance(table.X, SourceFrame):
            test = held_out_sample(table.X.source, test, options.seed)
    else:
        fraction = options.test_fraction
        if isinstance(table.X, SourceFrame):  # as many rows as can be evaluated in memory
            fraction = min(fraction, most_rows(n_columns) / len(table.X))
        train, test = split_rows(len(table.X), classes, fraction, options.seed, table.groups)
    return Experiment(table, options, n_selected, train, test, restrictions, counts, objective)


def _within(
    restrictions: dict[str, Any], options: FitOptions, counts: list[int], names: list[str]
) -> tuple[int, list[int]]:
    """Return K and the numbers to compare within the constraints; raise an error if impossible."""
    # All tasks have the same constraints.
    wanted = ReconstructionSelector(None if counts else options.n_features, **restrictions)
    try:
        n_selected, constraints = constraints_for(wanted, names)
        if counts:
            counts = counts_for(AUTO if options.counts == AUTO else counts, constraints)
            n_selected = max(counts)
    except InputError as error:
        raise as_options(error) from error
    return n_selected, counts


def run_experiment(
    experiment: Experiment, messages: Messages, callback: Callback | None = None
) -> Result:
    """Fit a selector on the training rows and evaluate it on the held-out rows."""
    selector = _new_selector(experiment, messages, callback)
    with messages.showing_warnings():
        summary = None
        if experiment.counts:
            experiment, selector, summary = _fit_by_counts(experiment, selector)
        else:
            selector = _fit(experiment, selector)
        # What follows, such as the verdict, is about the chosen method, and the callback is part of
        # this command, not a setting of the selection.
        method = getattr(selector, "method_", selector.method)
        selector.set_params(method=method, callbacks=None)
        table = experiment.table
        held_out, learned = (
            read_sample(
                selector,
                table.X.iloc[rows],
                None if table.y is None else table.y[rows],
                None if table.groups is None else table.groups[rows],
            )
            for rows in (experiment.test, experiment.train)
        )
        evaluation = evaluate_selector(selector, held_out, learned)
        features = FeatureTable.of(selector, importance_on(selector, held_out))
    selected = selector.get_support(indices=True).tolist()
    checks = check_table(selector.task_, learned, feature_names(selector), selected)
    for sentence in checks.sentences:
        if sentence not in messages.warnings:  # leaks were looked for before the training
            messages.warn(sentence)
    return Result(
        experiment,
        selector,
        features,
        evaluation,
        checks,
        cross_validation=summary,
        warnings=list(messages.warnings),
    )


def _new_selector(experiment: Experiment, messages: Messages, callback: Callback | None) -> Any:
    """Return the selector that the options ask for, not fitted yet."""
    table, options = experiment.table, experiment.options
    selector = SELECTORS[table.task.name](
        experiment.n_selected,
        method=options.method,
        n_runs=options.runs,
        max_epochs=options.epochs or "auto",
        checkpoint=options.checkpoint,
        resume=options.resume,
        callbacks=callback,
        device=options.device,
        random_state=options.seed,
        verbose=0 if messages.quiet else 1,
        **experiment.restrictions,
        **experiment.objective,
        **table.options,
    )
    if options.class_weight:
        selector.set_params(class_weight=options.class_weight)
    if options.expression_limits is not None:
        table = experiment.table
        apply_limits(selector, options.expression_limits, table.X, experiment.train)
    return selector


def _fit(experiment: Experiment, selector: Any) -> Any:
    """Fit a selector to the training rows or, for a consensus, to subsamples of them."""
    rows, given = experiment.training_rows, experiment.given(experiment.train)
    batches = experiment.table.batches
    if experiment.options.consensus:
        return _consensus(selector, experiment.options, rows, given)
    if batches is not None:
        own = batches[experiment.train]
        return selector.fit(*rows, balanced_weights(own), groups=own)
    return selector.fit(*rows, **given)


def _fit_by_counts(experiment: Experiment, selector: Any) -> tuple[Experiment, Any, dict[str, Any]]:
    """Choose the number of columns by cross-validation, and fit a selector of as many."""
    options, rows = experiment.options, experiment.training_rows
    given = experiment.given(experiment.train)
    search = search_for(selector, experiment.counts, options, rows[1], given["groups"])
    search.fit(*rows, **given)
    chosen = search.n_features_
    experiment = replace(experiment, n_selected=chosen, options=replace(options, n_features=chosen))
    if not options.consensus:
        return experiment, search.selector_, summary_of(search, search.selector_.task_)
    selector.set_params(n_features_to_select=chosen)
    if "method" in search.cv_results_:  # of several that were compared
        selector.set_params(method=str(search.cv_results_["method"][search.best_index_]))
    selector = _fit(experiment, selector)
    selector.cv_results_ = search.cv_results_
    selector.cv_scoring_ = search.scoring or selector.task_.selector_score
    return experiment, selector, summary_of(search, selector.task_)


def _consensus(selector: Any, options: FitOptions, rows: Any, given: dict[str, Any]) -> Any:
    """Return a decoder on the columns that most subsamples select.

    Its settings are those of the selection, not of the decoder, whose columns are given.
    """
    wanted = {name: getattr(selector, name) for name in ("n_features_to_select", "include")}
    stability = StabilitySelection(selector, n_subsamples=options.stability or 2)
    return stability.fit(*rows, **given).selector_.set_params(**wanted)
