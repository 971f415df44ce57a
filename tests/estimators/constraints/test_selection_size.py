"""Exactly K different features, whatever the method and the number of runs."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.selectors import METHODS
from ipcae.tasks import Reconstruction

WITHOUT_TARGETS = [name for name, method in METHODS.items() if method.supports(Reconstruction)]
WITH_NODES = [name for name, method in METHODS.items() if hasattr(method, "select")]


def assert_selects(selector, n_selected):
    for run, selection in enumerate(selector.selections_):
        assert len(set(selection.features.tolist())) == n_selected
        assert selector.with_run(run).get_support().sum() == n_selected
    assert selector.importance_.shape == (selector.n_runs, n_selected)


@pytest.mark.parametrize("method", WITHOUT_TARGETS)
@pytest.mark.parametrize("n_runs", [1, 3])
@pytest.mark.parametrize("n_selected", [1, 3, 6])
def test_a_count_is_met_by_every_method(X, quick, method, n_runs, n_selected):
    settings = quick | {"max_epochs": 1}
    selector = ReconstructionSelector(n_selected, n_runs=n_runs, **settings | {"method": method})
    assert_selects(selector.fit(X), n_selected)
    assert selector.transform(X).shape == (80, n_selected)


@pytest.mark.parametrize(
    ("wanted", "n_selected"),
    [
        (None, 3),
        (0.5, 3),
        (1.0, 6),
        (0.01, 1),
        (0.3, 2),
        (1, 1),
        (np.int64(2), 2),
        (np.float32(0.5), 3),
    ],
)
def test_a_fraction_counts_the_columns(X, classes, quick, wanted, n_selected):
    selector = ClassificationSelector(wanted, **quick | {"max_epochs": 1}).fit(X, classes)
    assert_selects(selector, n_selected)


@pytest.mark.parametrize("method", WITH_NODES)
def test_nodes_that_collide_get_features_of_their_own(quick, method):
    """Copies of one column beside noise: every node wants the same feature."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    settings = quick | {"max_epochs": 10, "learning_rate": 0.1, "method": method}
    selector = RegressionSelector(4, n_runs=3, **settings).fit(X, X[:, 2])
    assert_selects(selector, 4)
    assert selector.get_support()[2]


def test_a_single_column_is_selected(quick):
    X = np.random.default_rng(0).normal(size=(80, 1))
    selector = RegressionSelector(**quick).fit(X, X[:, 0])
    assert selector.get_support().tolist() == [True]
    assert selector.ranking_.tolist() == [1]
    assert selector.predict(X).shape == (80,)


def test_all_columns_are_all_read(X, values, thorough):
    selector = RegressionSelector(1.0, **thorough).fit(X, values)
    assert selector.get_support().all()
    assert selector.score(X, values) > 0.9
