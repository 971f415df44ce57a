"""The columns that explain all others best."""

from itertools import combinations

import numpy as np
import pytest

from ipcae import ReconstructionSelector
from ipcae.selectors import ColumnSubset
from ipcae.selectors.classical import Examples


def best(inputs, n_selected, weights=None, method=ColumnSubset()):  # noqa: B008
    examples = Examples(inputs, inputs[:, :0], discrete=False, weights=weights)
    scores = method.scores(examples, n_selected, 0)
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


def mixtures(shape, seed=0):
    """Return columns that are noisy mixtures of four sources."""
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(shape[0], 4)) @ random.normal(size=(4, shape[1]))
    return inputs + 0.3 * random.normal(size=shape)


def unexplained(inputs, columns):
    centered = inputs - inputs.mean(0)
    basis, _ = np.linalg.qr(centered[:, columns])
    return np.square(centered - basis @ (basis.T @ centered)).sum()


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)], ids=str)
def test_without_exchanges_the_order_is_that_of_the_definition(shape):
    inputs = mixtures(shape)
    assert best(inputs, 6, method=ColumnSubset(exchanges=False)) == greedy(inputs, 6)


@pytest.mark.parametrize("shape", [(60, 12), (9, 12)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_no_exchange_of_one_column_explains_more(shape, seed):
    inputs = mixtures(shape, seed)
    chosen = best(inputs, 4)
    left = unexplained(inputs, chosen)
    assert left <= unexplained(inputs, greedy(inputs, 4)) + 1e-9
    others = set(range(12)) - set(chosen)
    exchanged = [[*kept, new] for kept in combinations(chosen, 3) for new in others]
    assert all(unexplained(inputs, columns) > (1 - 1e-4) * left for columns in exchanged)


def test_exchanges_find_a_pair_that_adding_misses():
    # A noisy sum of two sources explains most alone, but the two sources explain more together.
    random = np.random.default_rng(0)
    sources = random.normal(size=(200, 2))
    noisy_sum = sources.sum(1) + 0.5 * random.normal(size=200)
    inputs = np.column_stack([sources, sources, noisy_sum])
    assert greedy(inputs, 2)[0] == 4
    assert {column % 2 for column in best(inputs, 2)} == {0, 1}


def test_included_columns_leave_the_others_to_explain_the_rest():
    random = np.random.default_rng(0)
    sources = random.normal(size=(80, 3)) * [3, 2, 1]
    inputs = np.repeat(sources, 3, axis=1) + 0.05 * random.normal(size=(80, 9))
    selector = ReconstructionSelector(
        2, method="column-subset", include=[0], max_epochs=1, scale=None, random_state=0
    )
    chosen = selector.fit(inputs).get_support(indices=True)
    assert (chosen // 3).tolist() == [0, 1]


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
