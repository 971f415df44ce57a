"""One selection: hold rows out, fit on the others, measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.cli.messages import Messages
from ipcae.cli.options import Options, count_features
from ipcae.cli.problem import Problem
from ipcae.cli.splitting import split_rows
from ipcae.estimators import SELECTORS
from ipcae.evaluation import Evaluation, evaluate_selector, read_sample
from ipcae.feature_table import FeatureTable
from ipcae.training import Callback


@dataclass(frozen=True, eq=False)
class Experiment:
    """A problem, divided into rows to learn from and rows held out."""

    problem: Problem
    options: Options
    n_selected: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment found."""

    experiment: Experiment
    selector: Any
    features: FeatureTable
    evaluation: Evaluation
    warnings: list[str] = field(default_factory=list)

    @property
    def interrupted(self) -> bool:
        """Whether somebody stopped the training early."""
        return "interrupted" in self.selector.run_status_


def plan_experiment(problem: Problem, options: Options) -> Experiment:
    """Settle K and the rows, refusing what does not fit the table."""
    n_selected = count_features(options.n_features, problem.X.shape[1], problem.place)
    classes = problem.y if problem.task.task.discrete else None
    train, test = split_rows(len(problem.X), classes, options.test_fraction, options.seed)
    return Experiment(problem, options, n_selected, train, test)


def run_experiment(
    experiment: Experiment, messages: Messages, callback: Callback | None = None
) -> Result:
    """Fit a selector on the training rows and measure it on the others."""
    problem, options = experiment.problem, experiment.options
    selector = SELECTORS[problem.task.name](
        experiment.n_selected,
        method=options.method,
        n_runs=options.runs,
        max_epochs=options.epochs,
        checkpoint=options.checkpoint,
        resume=options.resume,
        callbacks=callback,
        device=options.device,
        random_state=options.seed,
        verbose=0 if messages.quiet else 1,
    )
    train, test, y = experiment.train, experiment.test, problem.y
    with messages.showing_warnings():
        selector.fit(problem.X.iloc[train], None if y is None else y[train])
        # It watches this command, and is no setting to repeat the selection with.
        selector.set_params(callbacks=None)
        held_out, learned = (
            read_sample(selector, problem.X.iloc[rows], None if y is None else y[rows])
            for rows in (test, train)
        )
        evaluation = evaluate_selector(selector, held_out, learned)
    return Result(
        experiment,
        selector,
        FeatureTable.of(selector),
        evaluation,
        list(messages.warnings),
    )
