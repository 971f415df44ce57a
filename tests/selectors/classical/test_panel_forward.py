"""Forward selection for the classes and all columns at once."""

import numpy as np
import pytest

from ipcae import PanelSelector
from ipcae.selectors import ColumnSubset, PanelForward
from ipcae.selectors.classical import Examples


@pytest.fixture(scope="module")
def cells():
    """Return cells of three types, which columns 0 to 2 mark, and a program, columns 3 to 8."""
    random = np.random.default_rng(0)
    classes = np.arange(300) % 3
    X = random.normal(size=(300, 30)) * 0.5
    X[np.arange(300), classes] += 3
    X[:, 3:9] += random.normal(size=(300, 1)) * 2
    return X, classes


def best(X, classes, weight, n_selected, rows=None):
    examples = Examples(X, classes[:, None].astype(float), True, rows, weight)
    scores = PanelForward().scores(examples, n_selected, seed=0)
    return np.argsort(-scores, kind="stable")[:n_selected].tolist()


def test_the_weight_decides_between_markers_and_programs(cells):
    assert set(best(*cells, 0.0, 2)) < {0, 1, 2}
    assert best(*cells, 1.0, 1)[0] in range(3, 9)
    both = best(*cells, 0.5, 3)
    assert len(set(both) & {0, 1, 2}) == 2
    assert len(set(both) & set(range(3, 9))) == 1


def test_only_reconstruction_is_the_column_subset_without_exchanges(cells):
    X, classes = cells
    examples = Examples(X, X[:, :0], False)
    other = np.argsort(-ColumnSubset(exchanges=False).scores(examples, 6, 0), kind="stable")[:6]
    assert best(X, classes, 1.0, 6) == other.tolist()


def test_a_class_that_is_told_apart_needs_no_second_marker(cells):
    X, classes = cells
    copies = X[:, [0, 0, 0]] + 0.1 * np.random.default_rng(1).normal(size=(300, 3))
    weak = (X[:, 1] + 3 * np.random.default_rng(2).normal(size=300))[:, None]
    chosen = best(np.hstack([X[:, :1], copies, weak]), classes, 0.0, 2)
    assert 4 in chosen


def test_a_column_that_hardly_varies_is_not_preferred(cells):
    X, classes = cells
    rare = np.zeros((300, 1))
    rare[np.flatnonzero(classes == 0)[:4]] = 0.1  # few rows, all of one class
    assert 30 not in best(np.hstack([X, rare]), classes, 0.0, 6)


def test_rows_of_weight_two_are_repeated_rows(cells):
    X, classes = cells
    weights = np.where(np.arange(300) % 2 == 0, 2.0, 1.0)
    often = np.repeat(np.arange(300), weights.astype(int))
    assert best(X, classes, 0.5, 5, weights) == best(X[often], classes[often], 0.5, 5)


def test_it_is_the_default_of_a_panel_and_respects_constraints(cells):
    X, classes = cells
    selector = PanelSelector(4, include=[20], exclude=[0], max_epochs=2, random_state=0)
    selector.fit(X, classes)
    chosen = selector.get_support(indices=True).tolist()
    assert selector.method_ == "panel-forward"
    assert 20 in chosen
    assert 0 not in chosen
    assert {1, 2} <= set(chosen)
