"""The verdict of ``select``: are the results better than chance?"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ipcae.cli.experiment import Experiment
from ipcae.cli.experiment_result import Result
from ipcae.cli.inputs.streamed_table import SourceFrame
from ipcae.cli.messages import Messages
from ipcae.cli.tables import plain_spaces
from ipcae.errors import InputError
from ipcae.estimators import SelectorCV, chance_test
from ipcae.estimators.chance_of_folds import chance_of_folds
from ipcae.evaluation import ChanceTest, association_of, read_sample
from ipcae.evaluation.chance import N_FOLDS, N_PERMUTATIONS, N_REPEATS, compare_with_chance
from ipcae.evaluation.folds import Data
from ipcae.tasks import METRICS

FEWEST_HELD_OUT = 100
"""With fewer held-out rows, their score says too little, and folds are cheap."""

CLEAR = 1 / (N_PERMUTATIONS + 1)
"""The p-value of a result that is better than all permutations."""


def reach_verdict(result: Result, messages: Messages) -> ChanceTest | None:
    """Test the method against chance on rows of the table; return None if it is not possible.

    If numbers of features were compared, the folds of that comparison are used, and the held-out
    rows. Otherwise, the held-out rows are enough if they are many and the result is clear. If not,
    the method is fitted to new folds of all rows, which together take about as long as the fit:
    each has one run, and fewer epochs if the fit has few runs. If methods were compared, the test
    compares them, too. A table that is read in parts is tested on a random sample of its rows.
    """
    experiment, spent = result.experiment, 0.0
    test = _of_search(result)
    if test is None and len(experiment.test) >= FEWEST_HELD_OUT:
        test, spent = _of_held_out(result), CLEAR
    if test is None:
        test = _of_new_folds(experiment, result.selector, messages, spent)
    if test is None:
        return None
    return replace(test, dependent=test.dependent or experiment.table.dependent)


def _of_held_out(result: Result) -> ChanceTest | None:
    """Test the predictions for the held-out rows; return None if the result is not clear.

    The rows have not been seen in the fit, so the test is exact.
    """
    selector, experiment = result.selector, result.experiment
    sample = read_sample(selector, *experiment.part(experiment.test))
    found = association_of(
        [selector], [sample], n_permutations=N_PERMUTATIONS, seed=experiment.options.seed
    )
    test = compare_with_chance([found])
    return test if test.p_value <= CLEAR and not test.no_more_accurate else None


def warn_if_not_confirmed(result: Result, chance: ChanceTest | None, messages: Messages) -> None:
    """Warn if the method is better than chance, but the selected columns are not on held-out rows.

    The verdict is about selections from all folds. With few rows, one of them may be worse. If no
    fold is more accurate than a constant, the verdict says so itself.
    """
    found, n_rows = result.evaluation, len(result.experiment.test)
    metric = METRICS[found.task.score]
    gain = found.score - found.baseline_score
    if chance is None or not chance.better or chance.no_more_accurate:
        return
    if (gain if metric.higher_is_better else -gain) > 0:
        return
    own, constant = (
        plain_spaces(metric.write(each)) for each in (found.score, found.baseline_score)
    )
    messages.warn(
        f"the method is better than chance in cross-validation, but these columns predict the "
        f"{n_rows:,} held-out rows no better than a constant ({metric.label} {own}, against "
        f"{constant}): other columns may be better. Compare with another --seed, or use "
        "--stability 100."
    )


def _of_search(result: Result) -> ChanceTest | None:
    """Test the folds of the search and the held-out rows, if there are any that allow it."""
    if result.search is None:
        return None
    experiment = result.experiment
    table = experiment.table
    every = Data(table.X, table.y, table.groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return chance_of_folds(
            result.search,
            every.take(experiment.searched),
            (result.selector, every.take(experiment.test)),
            random_state=experiment.options.seed,
        )


def _of_new_folds(
    experiment: Experiment, selector: Any, messages: Messages, spent: float
) -> ChanceTest | None:
    """Test the method on new folds of all rows.

    ``spent`` is how often the held-out rows would have called noise better than chance.
    """
    table, options = experiment.table, experiment.options
    share = min(experiment.n_runs / (N_REPEATS * (N_FOLDS - 1)), 1.0)
    estimator: Any = clone(selector)
    if share < 1:
        estimator.set_params(max_epochs=max(math.ceil(share * experiment.n_epochs), 1))
    if options.method == "auto":
        estimator.set_params(method="auto")
    if experiment.counts:
        estimator = SelectorCV(estimator, n_features_to_select=list(experiment.counts))
    X: Any = table.X
    y, groups = table.y, table.groups
    of_sample = ""
    if isinstance(X, SourceFrame):
        rows = X.sample(np.arange(len(X)), options.seed)
        X, y = X.in_memory(rows), None if y is None else y[rows]
        of_sample = f" of a sample of {len(rows):,} rows"
    messages.note(f"Comparing with chance, by cross-validation{of_sample}:")
    try:
        with warnings.catch_warnings():
            # What the folds would warn about, the fit has warned about.
            warnings.simplefilter("ignore")
            test = chance_test(estimator, X, y, groups=groups, random_state=options.seed)
            return replace(test, p_value=min(test.p_value + spent, 1.0))
    except KeyboardInterrupt:
        messages.warn_of_interruption(
            "the comparison with chance was interrupted: there is no verdict."
        )
    except InputError as error:
        messages.warn(f"there is no verdict on whether the result is better than chance: {error}")
    return None
