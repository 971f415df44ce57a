"""The default ranks what included columns do not tell, and compares columns beside them."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.statistics.unexplained import unexplained_by_ridge

QUICK = {"max_epochs": 1, "fine_tune": False, "refit": False, "random_state": 0}


def copies(seed, rows=250):
    """Six columns matter; the two strongest have six noisy copies each."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(rows, 6))
    noisy = np.repeat(hidden[:, :2], 6, axis=1) + 0.4 * random.normal(size=(rows, 12))
    y = hidden @ [2, -2, 1, 1, -1, 1] + 0.5 * random.normal(size=rows)
    return np.hstack([hidden, noisy, random.normal(size=(rows, 10))]), y


@pytest.mark.parametrize("seed", range(2))
def test_copies_of_included_columns_are_not_selected(seed):
    X, y = copies(seed)
    for selector, target in ((RegressionSelector, y), (ClassificationSelector, y > 0)):
        fitted = selector(6, include=[0, 1], **QUICK).fit(X, target)
        assert not set(fitted.get_support(indices=True)) & set(range(6, 18))


def test_what_an_included_column_changes_the_effect_of_is_selected():
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 30))
    y = X[:, 0] * (1 + X[:, 5] + X[:, 9]) + 0.5 * random.normal(size=250)
    selector = RegressionSelector(3, include=[0], **QUICK).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 5, 9]


def test_many_unrelated_included_columns_hide_nothing():
    random = np.random.default_rng(0)
    X = random.normal(size=(24, 40))
    y = X[:, 0] - X[:, 1] + 0.3 * random.normal(size=24)
    selector = RegressionSelector(14, include=list(range(28, 40)), **QUICK).fit(X, y)
    assert {0, 1} <= set(selector.get_support(indices=True))


def test_more_included_columns_than_rows_are_no_error():
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 40))
    selector = RegressionSelector(33, include=list(range(30)), **QUICK).fit(X, X[:, 35])
    assert 35 in selector.get_support(indices=True)


def test_columns_are_compared_beside_the_included_ones():
    random = np.random.default_rng(0)
    x = random.normal(size=(200, 3))
    examples = Examples(x[:, :2], x[:, 1:2] * x[:, 2:], False, given=x[:, 2:])
    useless, useful = errors_of_columns(examples, [np.array([0]), np.array([1])])
    assert useful.mean() < useless.mean() / 2


def test_nothing_is_left_of_a_copy_and_all_of_an_unrelated_column():
    random = np.random.default_rng(0)
    included = random.normal(size=(200, 2))
    other = random.normal(size=(200, 1))
    left = unexplained_by_ridge(np.hstack([included @ [[3.0], [1.0]], other]), included)
    assert not left[:, 0].any()
    np.testing.assert_allclose(left[:, 1], (other - other.mean(0))[:, 0], atol=0.3)
