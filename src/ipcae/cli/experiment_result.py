"""The result of a planned selection: fit on the training rows, evaluate on the held-out ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from ipcae.cli.counts import search_for, summary_of
from ipcae.cli.experiment import Experiment
from ipcae.cli.messages import Messages
from ipcae.cli.options.objective import apply_limits
from ipcae.cli.options.selection_options import FitOptions
from ipcae.estimators import SELECTORS, SelectorCV, StabilitySelection
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
from ipcae.feature_table import FeatureTable, feature_names
from ipcae.sc.batches import balanced_weights
from ipcae.tasks import METRICS
from ipcae.training import Callback


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
    search: SelectorCV | None = None
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
        return bool(self.selector._interrupted)


def run_experiment(
    experiment: Experiment, messages: Messages, callback: Callback | None = None
) -> Result:
    """Fit a selector on the training rows and evaluate it on the held-out rows."""
    selector = _new_selector(experiment, messages, callback)
    with messages.showing_warnings():
        summary = search = None
        if experiment.counts:
            experiment, selector, search = _fit_by_counts(experiment, selector)
            summary = summary_of(search, selector.task_) | {"rows": len(experiment.searched)}
        else:
            selector = _fit(experiment, selector)
        # What follows, such as the verdict, is about the chosen method, and the callback is part of
        # this command, not a setting of the selection.
        method = getattr(selector, "method_", selector.method)
        selector.set_params(method=method, callbacks=None)
        held_out, learned = (
            read_sample(selector, *experiment.part(rows))
            for rows in (experiment.test, experiment.train)
        )
        evaluation = evaluate_selector(selector, held_out, learned)
        features = FeatureTable.of(selector, importance_on(selector, held_out))
    selected = selector.get_support(indices=True).tolist()
    checks = check_table(selector.task_, learned, feature_names(selector), selected)
    looked = experiment.table.columns is not None  # for leaks, before the training
    for sentence in (replace(checks, leaks=(), parts=()) if looked else checks).sentences:
        messages.warn(sentence)
    return Result(
        experiment,
        selector,
        features,
        evaluation,
        checks,
        cross_validation=summary,
        search=search,
        warnings=list(messages.warnings),
    )


def _new_selector(experiment: Experiment, messages: Messages, callback: Callback | None) -> Any:
    """Return the selector that the options ask for, not fitted yet."""
    table, options = experiment.table, experiment.options
    selector = SELECTORS[table.task.name](
        experiment.n_selected,
        method=options.method,
        n_runs=experiment.n_runs,
        max_epochs=options.epochs or "auto",
        refit="best",  # the only one that predicts
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
        apply_limits(selector, options.expression_limits, table.X, experiment.train)
    return selector


def _fit(experiment: Experiment, selector: Any) -> Any:
    """Fit a selector to the training rows or, for a consensus, to subsamples of them."""
    given, batches = experiment.to_fit(experiment.train), experiment.table.batches
    if experiment.options.consensus:
        return _consensus(selector, experiment.options, given)
    if batches is not None:
        own = batches[experiment.train]
        given |= {"sample_weight": balanced_weights(own), "groups": own}
    return selector.fit(**given)


def _fit_by_counts(experiment: Experiment, selector: Any) -> tuple[Experiment, Any, SelectorCV]:
    """Choose the number of columns by cross-validation, and fit a selector of as many."""
    options, rows = experiment.options, experiment.searched
    given, refit = experiment.to_fit(rows), len(rows) == len(experiment.train)
    refit = refit and not options.consensus
    y, groups = given["y"], given["groups"]
    search = search_for(selector, experiment.counts, options, y, groups, refit=refit)
    search.fit(**given)
    chosen = search.n_features_
    experiment = replace(experiment, n_selected=chosen, options=replace(options, n_features=chosen))
    if refit:
        return experiment, search.selector_, search
    selector.set_params(n_features_to_select=chosen)
    if "method" in search.cv_results_:  # of several that were compared
        selector.set_params(method=str(search.cv_results_["method"][search.best_index_]))
    selector = _fit(experiment, selector)
    selector.cv_results_ = search.cv_results_
    selector.cv_scoring_ = search.scoring or selector.task_.selector_score
    return experiment, selector, search


def _consensus(selector: Any, options: FitOptions, given: dict[str, Any]) -> Any:
    """Return a decoder on the columns that most subsamples select.

    Its settings are those of the selection, not of the decoder, whose columns are given.
    """
    wanted = {name: getattr(selector, name) for name in ("n_features_to_select", "include")}
    stability = StabilitySelection(selector, n_subsamples=options.stability or 2)
    return stability.fit(**given).selector_.set_params(**wanted)
