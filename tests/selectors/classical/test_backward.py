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
    order = dropping_order(inputs, targets, lambda left: 0.3, drop=0.02)
    np.testing.assert_array_equal(order, expected)


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


def test_one_of_each_group_of_copies_is_kept_among_many_columns_of_noise():
    random = np.random.default_rng(0)
    classes = np.arange(200) % 2
    sources = random.normal(size=(200, 5)) + np.outer(classes, [2.0, 1.8, 1.6, 1.4, 1.2])
    copies = np.repeat(sources, 20, axis=1) + 0.1 * random.normal(size=(200, 100))
    inputs = np.hstack([copies, random.normal(size=(200, 900))])
    examples = Examples(inputs, classes[:, None].astype(float), discrete=True)
    best = np.argsort(-Backward().scores(examples, 5, seed=0))[:5]
    assert {*(best // 20).tolist()} == {0, 1, 2, 3, 4}


def test_as_many_targets_as_rows_can_be_ranked_by():
    random = np.random.default_rng(0)
    inputs = random.normal(size=(12, 30))
    examples = Examples(inputs, inputs[:, :4] @ random.normal(size=(4, 12)), discrete=False)
    assert {*np.argsort(-Backward().scores(examples, 4, seed=0))[:4].tolist()} == {0, 1, 2, 3}
