"""With unique=False the nodes keep their own choices, duplicates included."""

import numpy as np
import pytest

from ipcae import ReconstructionSelector, RegressionSelector


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(200, 8))


@pytest.fixture
def colliding(rows, quick):
    """Return a selector whose nodes have chosen the same feature."""
    settings = quick | {"max_epochs": 10, "learning_rate": 0.1, "method": "cae"}
    return RegressionSelector(4, n_runs=3, unique=False, **settings).fit(rows, rows[:, 2])


def test_the_support_may_be_smaller_than_k(colliding, rows):
    for run, selection in enumerate(colliding.selections_):
        np.testing.assert_array_equal(selection.chosen, selection.features)
        n_different = len(set(selection.chosen.tolist()))
        twin = colliding.with_run(run)
        assert twin.transform(rows).shape == (200, n_different)
        assert selection.unique_percentage == 100 * n_different / 4
    assert colliding.get_support().sum() < 4


def test_predictions_from_fewer_columns_are_the_same(colliding, rows):
    for run in range(3):
        twin = colliding.with_run(run)
        np.testing.assert_array_equal(
            twin.predict_from_selected(twin.transform(rows)), twin.predict(rows)
        )


def test_the_ranking_is_still_a_permutation(colliding):
    n_selected = colliding.get_support().sum()
    assert sorted(colliding.ranking_) == list(range(1, 9))
    assert set(colliding.ranking_[colliding.get_support()]) == set(range(1, n_selected + 1))
    assert colliding.ranking_[2] == 1


def test_unique_resolves_what_the_nodes_chose(colliding, rows, quick):
    params = colliding.get_params() | {"unique": True}
    resolved = RegressionSelector(**params).fit(rows, rows[:, 2])
    for own, other in zip(colliding.selections_, resolved.selections_, strict=True):
        np.testing.assert_array_equal(own.chosen, other.chosen)
        assert len(set(other.features.tolist())) == 4
        # No chosen feature is lost.
        assert set(own.chosen.tolist()) <= set(other.features.tolist())


def test_reconstruction_from_fewer_columns_is_the_same(rows, quick):
    settings = quick | {"max_epochs": 1, "method": "cae", "random_state": 3}
    selector = ReconstructionSelector(7, unique=False, **settings).fit(rows)
    assert selector.get_support().sum() < 7
    np.testing.assert_array_equal(
        selector.reconstruct(selector.transform(rows)), selector.reconstruct(rows)
    )
