"""Backward elimination by the increase in loss."""

import numpy as np
import pytest

from ipcae.selectors import Backward
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.backward import dropping_order


def loss(inputs, targets, ridge):
    """The loss of a ridge regression, fitted to these columns."""
    moments = inputs.T @ inputs + ridge * np.eye(inputs.shape[1])
    weights = np.linalg.solve(moments, inputs.T @ targets)
    return np.square(targets - inputs @ weights).sum() + ridge * np.square(weights).sum()


@pytest.mark.parametrize("n_rows", [9, 40])
def test_the_column_whose_loss_is_smallest_without_it_is_dropped_next(n_rows):
    random = np.random.default_rng(0)
    inputs, targets = random.normal(size=(n_rows, 12)), random.normal(size=(n_rows, 2))
    left, expected = [*range(12)], np.zeros(12)
    for position in range(1, 13):
        without = [[c for c in left if c != column] for column in left]
        losses = [loss(inputs[:, columns], targets, 0.3) for columns in without]
        column = left[int(np.argmin(losses))]
        expected[column] = position
        left.remove(column)
    np.testing.assert_array_equal(dropping_order(inputs, targets, 0.3, drop=0.02), expected)


@pytest.fixture
def opposed():
    """Classes by the difference of two columns that are nearly equal, and by a third, weaker."""
    random = np.random.default_rng(0)
    shared, small = random.normal(size=(2, 600))
    noise = random.normal(size=(600, 17))
    inputs = np.column_stack([shared + 0.3 * small, shared - 0.3 * small, noise])
    inputs[:, 2] += 0.5 * small
    return Examples(inputs, (small > 0).astype(float)[:, None], discrete=True)


def test_columns_that_matter_together_are_kept(opposed):
    scores = Backward().scores(opposed, 2, seed=0)
    assert {*np.argsort(-scores)[:2].tolist()} == {0, 1}
