"""One selection, planned: which rows are held out, how many columns to select, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.cli.counts import counts_to_compare, rows_to_compare
from ipcae.cli.inputs.input_table import InputTable
from ipcae.cli.inputs.streamed_table import SourceFrame, check_options
from ipcae.cli.messages import Messages
from ipcae.cli.options.constraint_options import as_options, constraint_arguments
from ipcae.cli.options.k_option import AUTO, count_features
from ipcae.cli.options.objective import check_limits, objective_arguments
from ipcae.cli.options.selection_options import RUNS, RUNS_OF_MANY_ROWS, FitOptions
from ipcae.cli.splitting import split_rows
from ipcae.errors import InputError
from ipcae.estimators import ReconstructionSelector
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.one_fit.arguments import max_epochs_for
from ipcae.estimators.one_fit.table import constraints_for
from ipcae.evaluation.folds import Data, take_rows
from ipcae.evaluation.sample import most_rows
from ipcae.sc.batches import hold_out
from ipcae.sc.table import held_out_sample
from ipcae.selectors import method_named
from ipcae.training.plan import MANY_ROWS, is_tall


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
    def n_runs(self) -> int:
        """The number of models to train."""
        usual = RUNS_OF_MANY_ROWS if len(self.train) >= MANY_ROWS else RUNS
        return self.options.runs or usual

    @property
    def n_epochs(self) -> int:
        """The largest number of training epochs."""
        n_rows, n_columns = len(self.train), self.table.X.shape[1]
        method = self.options.method
        few = method is None or (method != "auto" and method_named(method).few_candidates)
        limited = {"at_most", "budget"} & self.restrictions.keys()
        tall = few and not limited and is_tall(n_rows, n_columns)
        return max_epochs_for(self.options.epochs or "auto", self.table.task.task, n_rows, tall)

    def part(self, rows: NDArray[np.int64]) -> Data:
        """Return the features, the targets and the groups of some rows."""
        table = self.table
        return Data(table.X.iloc[rows], take_rows(table.y, rows), take_rows(table.groups, rows))

    @property
    def searched(self) -> NDArray[np.int64]:
        """The training rows on which numbers of columns are compared."""
        y = self.table.y
        classes = None if y is None else self.table.task.task.split_labels(y)
        return rows_to_compare(self.train, classes, self.options.seed)

    def to_fit(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """Return some rows as arguments of ``fit``."""
        weights = take_rows(self.table.weights, rows)
        return {**self.part(rows)._asdict(), "sample_weight": weights}


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
