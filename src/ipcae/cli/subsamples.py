"""``select --stability`` and ``--fdr``: selections from subsamples of rows, and among decoys."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import clone

from ipcae.cli.experiment import Experiment
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import FitOptions, InputOptions
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import StabilitySelection, select_with_fdr
from ipcae.evaluation import FdrSelection, RowStability

_Found = TypeVar("_Found")


def require_independent_rows(input_options: InputOptions, fit_options: FitOptions) -> None:
    """Raise an error if ``--fdr`` cannot work with the table, before it is read."""
    if fit_options.fdr is None:
        return
    if input_options.target is None and input_options.time is None:
        raise InputError("--fdr needs a --target: decoys are columns without information about it.")
    for option, value in (
        ("--groups", input_options.groups),
        ("--batch-key", input_options.batch_key),
    ):
        if value is not None:
            raise InputError(
                f"--fdr needs rows that are independent of each other, but {option} says that "
                "some belong together: leave one of them out."
            )


def measure_stability(
    experiment: Experiment, selector: Any, messages: Messages
) -> RowStability | None:
    """Select again from subsamples of the training rows; return None if it is not possible."""
    n_subsamples = experiment.options.stability or 0
    messages.note(f"Selecting from {n_subsamples} subsamples of the rows:")

    def measure() -> RowStability:
        again = StabilitySelection(clone(selector), n_subsamples=n_subsamples, refit=False)
        return again.fit(**experiment.to_fit(experiment.train)).rows_

    return _attempted(measure, "the stability over rows is not known", messages)


def control_discoveries(
    experiment: Experiment, selector: Any, messages: Messages
) -> FdrSelection | None:
    """Select from all rows of the table with decoys; return None if it is not possible.

    Twice as many columns and decoys are selected as columns are asked for, and enough for the
    false discovery rate: at a rate of 0.1, ten columns must win against their decoys.
    """
    table, fdr = experiment.table, experiment.options.fdr or 0.1
    n_selected = max(2 * experiment.n_selected, 2 * math.ceil(1 / fdr))
    alone = clone(selector).set_params(n_features_to_select=min(n_selected, 2 * table.X.shape[1]))
    messages.note(f"Comparing with decoys, at a false discovery rate of {fdr:g}:")

    def control() -> FdrSelection:
        return select_with_fdr(
            alone,
            table.X,
            table.y,
            fdr=fdr,
            random_state=experiment.options.seed,
            verbose=selector.verbose,
        )

    return _attempted(control, "there is no comparison with decoys", messages)


def _attempted(work: Callable[[], _Found], consequence: str, messages: Messages) -> _Found | None:
    """Return the result of work that adds to the selection; if it fails, warn and return None."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", category=TrainingWarning)
            found = work()
    except KeyboardInterrupt:
        messages.warn_of_interruption(f"{consequence}: it was interrupted.")
        return None
    except InputError as error:
        messages.warn(f"{consequence}: {error}")
        return None
    # What else the subsamples would warn about, the fit has warned about.
    for text in (str(each.message) for each in caught):
        if text.startswith("Interrupted"):
            messages.warn_of_interruption(text)
        elif "subsamples are used" in text:
            messages.warn(text)
    return found
