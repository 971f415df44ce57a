"""The verdict of ``select``: are the results better than chance?"""

from __future__ import annotations

import math
import warnings
from typing import Any

from sklearn.base import clone

from ipcae.cli.experiment import Experiment
from ipcae.cli.messages import Messages
from ipcae.cli.streamed_table import SourceFrame
from ipcae.errors import InputError
from ipcae.estimators import SelectorCV, chance_test
from ipcae.evaluation import ChanceTest
from ipcae.evaluation.chance import N_FOLDS


def reach_verdict(experiment: Experiment, selector: Any, messages: Messages) -> ChanceTest | None:
    """Test the method against chance on all rows of the table; return None if it is not possible.

    The folds together take about as long as the fit: each has one run, for as many epochs as the
    number of runs of the fit pays for. If methods or numbers of features were compared, the test
    compares them, too.
    """
    table, options = experiment.table, experiment.options
    share = min(options.runs / (N_FOLDS - 1), 1.0)
    estimator: Any = clone(selector).set_params(
        max_epochs=max(math.ceil(share * options.epochs), 1)
    )
    if options.method == "auto":
        estimator.set_params(method="auto")
    if experiment.counts:
        estimator = SelectorCV(estimator, n_features_to_select=list(experiment.counts))
    if isinstance(table.X, SourceFrame):
        messages.warn(
            "there is no verdict, whether the result is better than chance: the comparison needs "
            "all rows in memory."
        )
        return None
    messages.note(f"Comparing with chance, in {N_FOLDS} folds:")
    try:
        with warnings.catch_warnings():
            # What the folds would warn about, the fit has warned about.
            warnings.simplefilter("ignore")
            return chance_test(
                estimator, table.X, table.y, groups=table.groups, random_state=options.seed
            )
    except KeyboardInterrupt:
        messages.warn("the comparison with chance was interrupted: there is no verdict.")
    except InputError as error:
        messages.warn(f"there is no verdict, whether the result is better than chance: {error}")
    return None
