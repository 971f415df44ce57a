"""Exchanges of single features after a forward selection of a panel."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, PanelSelector
from ipcae.errors import InputError
from ipcae.selectors import PanelExchange
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.models import leave_one_out as judge
from ipcae.selectors.classical.statistics.neighbor_overlap import NeighborOverlap


@pytest.fixture(scope="module")
def ring():
    """Return two classes inside and outside of a ring, which no single linear model tells apart."""
    random = np.random.default_rng(0)
    X = random.normal(size=(240, 12))
    X[:, 8:] = X[:, :1] * 2 + 0.1 * X[:, 8:]
    classes = (np.square(X[:, 1:3]).sum(1) > 1.4).astype(int)
    return X, classes


def panel(X, classes, method, n_selected=4, weight=0.5):
    examples = Examples(X, classes[:, None].astype(float), True, None, weight)
    return np.argsort(-method.scores(examples, n_selected, 0), kind="stable")[:n_selected]


def test_a_row_is_predicted_as_by_a_fit_without_it(ring):
    X, classes = ring
    X, classes = X[:60], classes[:60]
    fitted = judge.LeaveOneOut.of(X, classes, per_class=3)
    columns = np.array([1, 2])
    own = fitted.inputs[:, columns]
    marks = own[fitted.landmarks]
    distances = np.square(own[:, None] - marks).sum(2)
    table = np.c_[np.exp(-0.3 / 2 * distances), np.ones(60), 0.1 * own]
    targets, certain = np.eye(2)[fitted.classes], np.empty(60)
    for row in range(60):
        others = np.arange(60) != row
        weighted = fitted.weights[others, None] * table[others]
        products = table[others].T @ weighted + 1e-4 * np.eye(table.shape[1])
        predicted = table[row] @ np.linalg.solve(products, weighted.T @ targets[others])
        margin = predicted[fitted.classes[row]] - predicted[1 - fitted.classes[row]]
        certain[row] = 1 / (1 + np.exp(-margin / 0.1))
    assert fitted.recall(columns) == pytest.approx(fitted.weights @ certain, rel=1e-6)


def test_exchanges_find_what_linear_models_miss(ring):
    X, classes = ring
    before = panel(X, classes, PanelExchange(n_candidates=4))  # nothing to exchange for
    after = panel(X, classes, PanelExchange(tolerance=0.9))
    assert not {1, 2} <= set(before)
    assert {1, 2} <= set(after)


def test_exchanges_keep_the_neighbors(ring):
    X, classes = ring
    overlap = NeighborOverlap.of(X)
    before = overlap.share(panel(X, classes, PanelExchange(n_candidates=4)))
    after = overlap.share(panel(X, classes, PanelExchange(tolerance=0.02)))
    assert after >= 0.98 * before


def test_classes_of_a_few_rows_do_not_count(ring):
    X, classes = ring
    rare = np.where(np.arange(240) < 30, 2, classes)
    X = X.copy()
    X[:30, 5] += 20  # tells the rare class apart, and nothing else
    chosen = panel(X, rare, PanelExchange(), n_selected=2, weight=0.0)
    assert 5 not in chosen
    assert 5 in panel(X, rare, PanelExchange(fewest=20), n_selected=2, weight=0.0)


@pytest.mark.parametrize("n_selected", [1, 12])
def test_a_panel_may_have_one_feature_or_all(ring, n_selected):
    X, classes = ring
    selector = PanelSelector(n_selected, method="panel-exchange", max_epochs=1, random_state=0)
    assert selector.fit(X, classes).get_support().sum() == n_selected


@pytest.mark.parametrize("method", ["panel-forward", "panel-exchange"])
def test_several_labels_are_refused(method):
    X = np.random.default_rng(0).normal(size=(40, 6))
    selector = ClassificationSelector(2, method=method, max_epochs=1)
    with pytest.raises(InputError, match="needs one class per row, but y has 2 labels"):
        selector.fit(X, (X[:, :2] > 0).astype(int))
