"""The number of epochs that select announces is that of the fit."""

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
