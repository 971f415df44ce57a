"""Greedy column subset selection."""

import numpy as np
import pytest

from ipcae.selectors import ColumnSubset
from ipcae.selectors.classical import Examples


def best(inputs, n_selected, weights=None):
    examples = Examples(inputs, inputs[:, :0], discrete=False, weights=weights)
    scores = ColumnSubset().scores(examples, n_selected, 0)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    return np.argsort(-scores, kind="stable")[:n_selected].tolist()


def greedy(inputs, n_selected):
    """Return what the definition says, by an explicit residual."""
    rest, chosen = inputs - inputs.mean(0), []
    for _ in range(n_selected):
        gain = np.square(rest.T @ rest).sum(0) / np.maximum(np.square(rest).sum(0), 1e-12)
        gain[chosen] = 0
        chosen.append(int(gain.argmax()))
        unit = rest[:, chosen[-1]] / np.linalg.norm(rest[:, chosen[-1]])
        rest = rest - np.outer(unit, unit @ rest)
    return chosen


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)], ids=str)
def test_the_order_is_that_of_the_definition(shape):
    random = np.random.default_rng(0)
    inputs = random.normal(size=(shape[0], 4)) @ random.normal(size=(4, shape[1]))
    inputs += 0.3 * random.normal(size=shape)
    assert best(inputs, 6) == greedy(inputs, 6)


def test_one_of_each_group_of_copies_is_selected():
    random = np.random.default_rng(1)
    sources = random.normal(size=(50, 3)) * [3, 2, 1]
    inputs = np.repeat(sources, 5, axis=1) + 0.01 * random.normal(size=(50, 15))
    assert {column // 5 for column in best(inputs, 3)} == {0, 1, 2}


def test_more_columns_than_the_rank_are_still_different():
    inputs = np.outer(np.arange(6.0), np.ones(8))
    assert len(set(best(inputs, 5))) == 5


def test_rows_of_larger_weight_count_more():
    random = np.random.default_rng(2)
    inputs = np.zeros((40, 4))
    inputs[:20, :2] = random.normal(size=(20, 1))
    inputs[20:, 2:] = random.normal(size=(20, 1))
    first = np.repeat([5.0, 0.1], 20)
    assert best(inputs, 1, first)[0] < 2 <= best(inputs, 1, first[::-1])[0]
