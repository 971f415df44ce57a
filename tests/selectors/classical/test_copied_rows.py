"""Copies of rows are no rows that rankings could be compared on."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.selectors.classical.examples import Examples, merged

QUICK = {"max_epochs": 1, "fine_tune": False, "refit": False, "random_state": 0}


def yes_or_no(seed, rows, columns=40):
    """Four columns of zeros and ones matter, among numbers that differ from row to row."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:, :4] = X[:, :4] > 0
    return X, X[:, :4] @ [1, -1, 0.8, 0.8] + 0.6 * random.normal(size=rows)


@pytest.mark.parametrize("seed", range(2))
def test_columns_by_which_copied_rows_can_be_recognized_are_not_preferred(seed):
    X, y = yes_or_no(seed, 100)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    selector = RegressionSelector(4, **QUICK).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_so_with_classes():
    X, y = yes_or_no(0, 150)
    X, y = np.tile(X, (3, 1)), np.tile(y > np.median(y), 3)
    selector = ClassificationSelector(4, method="adaptive", **QUICK).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_copies_become_one_row_with_their_weight_and_few_or_rounded_ones_do_not():
    X, y = yes_or_no(0, 50)
    twice = Examples(np.vstack([X, X[:20]]), np.append(y, y[:20])[:, None], discrete=False)
    one = merged(twice)
    np.testing.assert_array_equal(one.inputs, X)
    np.testing.assert_array_equal(one.weights, np.repeat([2.0, 1.0], [20, 30]))
    once = twice.take(np.arange(51))
    assert merged(once) is once
    for columns in (X[:, :4], np.tile(X[:10, 4:5], (5, 1))):
        by_chance = Examples(columns, y[:, None] > 9, discrete=True)
        assert merged(by_chance) is by_chance
