"""Rows that depend on each other, and the default method for them."""

import numpy as np
import pytest

from ipcae import ClassificationSelector
from ipcae.selectors import effective_rows
from ipcae.selectors.dependent_rows import consecutive_blocks


def rows_of_sessions(n_sessions=25, n_rows=200, n_columns=201, seed=0):
    """Return rows whose columns share a state of their session; the first four are independent."""
    random = np.random.default_rng(seed)
    state = 2 * random.normal(size=(n_sessions, 3)) @ random.normal(size=(3, n_columns))
    X = np.repeat(state, n_rows, axis=0) + random.normal(size=(n_sessions * n_rows, n_columns))
    X[:, :4] = random.normal(size=(len(X), 4))
    return X


def test_rows_of_the_same_session_are_worth_few():
    X = rows_of_sessions()
    classes = (X[:, 0] > 0).astype(int)
    assert effective_rows(X, consecutive_blocks(classes)) < 200
    shuffled = np.random.default_rng(1).permutation(len(X))
    assert effective_rows(X[shuffled], consecutive_blocks(classes[shuffled])) > 0.9 * len(X)


def test_a_table_sorted_by_its_classes_has_independent_rows():
    random = np.random.default_rng(0)
    classes = np.repeat(np.arange(10), 200)
    X = random.normal(size=(10, 30))[classes] + random.normal(size=(2000, 30))
    assert effective_rows(X, np.arange(2000) // 100) < 200  # blocks of a single class differ
    assert effective_rows(X, consecutive_blocks(classes)) > 1800


@pytest.mark.parametrize(("products", "method"), [(False, "backward"), (True, "shortlist")])
def test_a_linear_ranking_is_the_default_unless_products_matter(products, method):
    X = rows_of_sessions()
    signal = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] if products else X[:, :4].sum(1)
    settings = {"max_epochs": 1, "decoder": (4,), "fine_tune": False, "batch_size": 512}
    selector = ClassificationSelector(4, random_state=0, **settings).fit(X, signal > 0)
    assert selector.method_ == method
    assert "rows that depend on each other" in selector.method_reason_
    assert set(selector.get_support(indices=True)) == {0, 1, 2, 3}
