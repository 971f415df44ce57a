"""K different features, how likely each is, and how far runs agree."""

from itertools import permutations

import numpy as np
import pytest
import torch

from ipcae.errors import InputError
from ipcae.selection import (
    Selection,
    distinct_features,
    selection_probability,
    unique_percentage,
)
from tests.random_tensors import normal


def total(logits, features):
    return sum(logits[node, feature].item() for node, feature in enumerate(features))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("n_nodes", "n_features"), [(1, 1), (1, 4), (2, 3), (3, 6), (4, 5), (4, 4)]
)
def test_distinct_features_have_the_largest_sum_of_all_assignments(n_nodes, n_features, seed):
    # A preference that all nodes share makes them collide.
    logits = normal(n_nodes, n_features, seed=seed) + 3 * normal(n_features, seed=99)
    features = distinct_features(logits).tolist()
    best = max(total(logits, p) for p in permutations(range(n_features), n_nodes))
    assert len(set(features)) == n_nodes
    assert total(logits, features) == pytest.approx(best, abs=1e-5)


def test_a_feature_beyond_every_nodes_first_choices_is_found():
    # All nodes share one ranking: together they must take its first K.
    ranking = torch.arange(100.0, 0.0, -1.0)
    assert sorted(distinct_features(ranking.repeat(7, 1)).tolist()) == list(range(7))


def test_equal_logits_still_give_different_features():
    assert len(set(distinct_features(torch.zeros(5, 9)).tolist())) == 5


@pytest.mark.parametrize("seed", range(5))
def test_nodes_that_do_not_collide_keep_their_choice(seed):
    own = torch.randperm(50, generator=torch.Generator().manual_seed(seed))[:10]
    logits = normal(10, 50, seed=seed)
    logits[torch.arange(10), own] += 100
    assert torch.equal(distinct_features(logits), own)


def test_as_many_nodes_as_features_select_all():
    assert sorted(distinct_features(normal(6, 6)).tolist()) == list(range(6))


def test_more_nodes_than_features_are_refused():
    with pytest.raises(InputError, match="Cannot choose 4 different features among 3"):
        distinct_features(torch.zeros(4, 3))


@pytest.mark.parametrize("scale", [0.0, 1.0, 4.0])
def test_selection_probability_matches_sampling(scale):
    logits = scale * normal(2, 3, 5)
    n = 40_000
    generator = torch.Generator().manual_seed(1)
    for run, expected in zip(logits, selection_probability(logits), strict=True):
        drawn = torch.multinomial(torch.softmax(run, -1), n, replacement=True, generator=generator)
        share = torch.stack([(drawn == d).any(0).double().mean() for d in range(5)])
        deviation = 5 * (expected * (1 - expected) / n).sqrt() + 1e-6
        assert ((share - expected).abs() <= deviation).all()


def test_selection_probability_of_certain_nodes_is_nearly_one_and_zero():
    logits = torch.full((1, 2, 4), -1e4)
    logits[0, 0, 1] = logits[0, 1, 3] = 1e4
    probability = selection_probability(logits)
    torch.testing.assert_close(probability, torch.tensor([[0.0, 1.0, 0.0, 1.0]]), rtol=0, atol=1e-6)


def test_selection_probability_keeps_small_probabilities():
    logits = torch.zeros(1, 4, 2)
    logits[..., 1] = -20.0
    assert selection_probability(logits)[0, 1].item() == pytest.approx(4 * np.exp(-20), rel=1e-4)


@pytest.mark.parametrize(
    ("features", "expected"),
    [([[4]], 100.0), ([[4, 4, 4, 4]], 25.0), ([[1, 2, 1, 2]], 50.0), ([[3, 1, 0, 2]], 100.0)],
)
def test_unique_percentage_counts_different_features(features, expected):
    assert unique_percentage(torch.tensor(features)).item() == expected


@pytest.fixture
def selections():
    def of(chosen, features):
        return Selection(np.array(chosen), np.array(features), np.zeros(5, dtype=np.float32))

    return [of([0, 0], [0, 1]), of([1, 2], [1, 2])]


def test_a_selection_knows_its_unique_percentage_and_its_support(selections):
    assert [s.unique_percentage for s in selections] == [50.0, 100.0]
    assert selections[0].support().tolist() == [True, True, False, False, False]
