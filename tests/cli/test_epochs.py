"""The numbers of epochs and of runs that select announces."""

from types import SimpleNamespace

import numpy as np
import pytest

from ipcae import ClassificationSelector
from ipcae.cli.experiment import Experiment
from ipcae.estimators.one_fit.fitting import choose_method
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import read_table
from ipcae.tasks import Classification


@pytest.mark.parametrize("n_columns", [3, 201])
@pytest.mark.parametrize("method", [None, "anova", "ip-cae"])
@pytest.mark.parametrize("restrictions", [{}, {"at_most": [(1, ["x0", "x1"])]}])
def test_epochs_are_announced_as_the_selector_takes_them(n_columns, method, restrictions):
    X = np.random.default_rng(0).normal(size=(5_000, n_columns)).astype(np.float32)
    selector = ClassificationSelector(1, method=method, **restrictions)
    table = read_table(selector, X, X[:, 0] > 0, None)
    fitted = choose_method(selector, Settings.of(selector), table)
    experiment = Experiment(
        table=SimpleNamespace(X=X, task=SimpleNamespace(task=Classification)),
        options=SimpleNamespace(epochs=None, method=method),
        n_selected=1,
        train=np.arange(len(X)),
        test=np.arange(0),
        restrictions=restrictions,
    )
    assert experiment.n_epochs == fitted.plan.max_epochs


@pytest.mark.parametrize(
    ("n_rows", "given", "n_runs"), [(19_999, None, 5), (20_000, None, 3), (20_000, 7, 7)]
)
def test_many_rows_get_fewer_runs_unless_a_number_is_given(n_rows, given, n_runs):
    options = SimpleNamespace(runs=given)
    train, test = np.arange(n_rows), np.arange(0)
    experiment = Experiment(None, options, n_selected=1, train=train, test=test)
    assert experiment.n_runs == n_runs
