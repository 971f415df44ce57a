"""One selection: hold rows out, fit on the others, measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.cli.held_out import Metrics, measure, split_rows
from ipcae.cli.messages import Messages
from ipcae.cli.options import Options, count_features
from ipcae.cli.problem import Problem
from ipcae.cli.task import CLASSIFICATION, RECONSTRUCTION, REGRESSION
from ipcae.estimators import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.plots import Ranking, rank_features
from ipcae.training import Callback

SELECTORS: dict[str, Any] = {
    CLASSIFICATION: ClassificationSelector,
    REGRESSION: RegressionSelector,
    RECONSTRUCTION: ReconstructionSelector,
}


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
    ranking: Ranking
    held_out: Metrics
    reference: Metrics
    warnings: list[str] = field(default_factory=list)

    @property
    def interrupted(self) -> bool:
        """Whether somebody stopped the training early."""
        return "interrupted" in self.selector.run_status_


def plan_experiment(problem: Problem, options: Options) -> Experiment:
    """Settle K and the rows, refusing what does not fit the table."""
    n_selected = count_features(options.n_features, problem.X.shape[1], problem.place)
    classes = problem.y if problem.task.name == CLASSIFICATION else None
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
    train, test = experiment.train, experiment.test
    with messages.showing_warnings():
        if problem.y is None:
            selector.fit(problem.X.iloc[train])
        else:
            selector.fit(problem.X.iloc[train], problem.y[train])
        # It watches this command, and is no setting to repeat the selection with.
        selector.set_params(callbacks=None)
        held_out, reference = measure(
            problem.task.name, selector, problem.X, problem.y, train, test
        )
    return Result(
        experiment,
        selector,
        rank_features(selector),
        held_out,
        reference,
        list(messages.warnings),
    )
