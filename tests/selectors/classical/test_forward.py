"""Forward selection of columns, and when it is compared with other rankings."""

import numpy as np
import pytest

from ipcae.ridge import standardized
from ipcae.selectors.classical import Adaptive, Backward, Elimination, GroupLasso
from ipcae.selectors.classical import adaptive as module
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.forward import Forward

N_SELECTED = 10


def strong_effects(seed, discrete):
    """Return the sum of the first ten of 1,000 independent columns, or its sign, and noise."""
    random, n_rows = np.random.default_rng(seed), 150 if discrete else 90
    X = random.normal(size=(n_rows, 1000))
    y = X[:, :N_SELECTED].sum(1) + 0.3 * random.normal(size=n_rows)
    return Examples(X, ((y > 0) * 1.0 if discrete else y)[:, None], discrete)


def n_found(ranking, examples):
    scores = ranking.scores(examples, N_SELECTED, 0)
    return int((examples.best_columns(scores, N_SELECTED) < N_SELECTED).sum())


@pytest.mark.parametrize("discrete", [True, False])
def test_adaptive_finds_strong_effects_that_hide_each_other(discrete):
    tables = [strong_effects(seed, discrete) for seed in range(4)]
    adaptive = sum(n_found(Adaptive(), table) for table in tables)
    for other in (Elimination(), Backward(drop=0.1), GroupLasso()):
        assert adaptive > sum(n_found(other, table) for table in tables)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_numbers_and_two_classes_compare_it(n_classes, monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5)) @ random.normal(size=(5, 40))
    y = np.arange(60.0) % n_classes if n_classes else X[:, 0]
    compared = []

    def first(_, rankings, *__):
        compared.extend(rankings)
        return rankings[0]

    monkeypatch.setattr(module, "preferred", first)
    Adaptive().scores(Examples(X, y[:, None], n_classes > 0), 5, 0)
    assert (Forward() in compared) == (n_classes != 3)


def test_every_added_column_reduces_the_loss_most():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 8)) @ random.normal(size=(8, 12)) + random.normal(size=(50, 12))
    y = X[:, [0, 5]].sum(1) + random.normal(size=50)
    ranking = Forward(ridge=0.1)
    scores = ranking.scores(Examples(X, y[:, None], False), 6, 0)
    order = np.argsort(-scores)[:6].tolist()
    z, t = standardized(X), standardized(y[:, None])[:, 0]

    def loss(columns):
        own = z[:, columns]
        w = np.linalg.solve(own.T @ own + 5.0 * np.eye(len(columns)), own.T @ t)
        return np.square(t - own @ w).sum() + 5.0 * np.square(w).sum()

    for n_before, column in enumerate(order):
        others = np.setdiff1d(np.arange(12), order[:n_before])
        losses = {other: loss([*order[:n_before], other]) for other in others.tolist()}
        assert min(losses, key=losses.get) == column
    assert scores[order].tolist() == [6, 5, 4, 3, 2, 1]
    assert np.delete(scores, order).max() == 0.5


def test_one_column_of_a_unit_is_added():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 6))
    y = X @ np.array([3.0, 2.0, 0.0, 1.0, 0.0, 0.0]) + random.normal(size=80)
    examples = Examples(X, y[:, None], False, units=np.array([0, 0, 1, 2, 2, 3]))
    scores = Forward().scores(examples, 2, 0)
    assert np.flatnonzero(scores >= 1).tolist() == [0, 3]
    assert Forward().scores(examples, 9, 0).max() == 4


def test_copies_constants_and_more_features_than_rows_are_allowed():
    X = np.random.default_rng(0).normal(size=(30, 40))
    X[:, 1], X[:, 2] = 2.0, X[:, 0]
    y = X[:, 0] + X[:, 3]
    scores = Forward(ridge=0).scores(Examples(X, y[:, None], False), 35, 0)
    assert np.isfinite(scores).all()
    assert scores[1] == 0
    assert scores[[0, 3]].min() > 1 > scores[2]
    assert not Forward().scores(Examples(X, np.ones((30, 1)), False), 3, 0).any()
