"""F-values without redundancy, and when they are compared with other rankings."""

import numpy as np
import pytest
from sklearn.feature_selection import f_regression

from ipcae.selectors.classical import Adaptive, Backward, Elimination, GroupLasso
from ipcae.selectors.classical import adaptive as module
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.nonredundant import Nonredundant

N_SELECTED = 20


def factors(seed):
    """Return a number that 40 of 400 columns measure; the others measure nine other factors."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(60, 10))
    X = random.normal(size=(60, 400)) + 1.5 * hidden[:, random.integers(1, 10, 400)]
    X[:, :40] = random.normal(size=(60, 40)) + hidden[:, :1]
    return Examples(X, hidden[:, :1] + 0.5 * random.normal(size=(60, 1)), discrete=False)


def n_found(ranking, examples):
    scores = ranking.scores(examples, N_SELECTED, 0)
    return int((examples.best_columns(scores, N_SELECTED) < 40).sum())


@pytest.mark.parametrize("seed", range(3))
def test_adaptive_finds_columns_that_linear_models_miss_among_other_factors(seed):
    examples = factors(seed)
    linear = GroupLasso(), Elimination(), Backward(drop=0.1)
    assert max(n_found(ranking, examples) for ranking in linear) < N_SELECTED
    assert n_found(Adaptive(), examples) == N_SELECTED


@pytest.mark.parametrize("discrete", [True, False])
def test_only_numbers_compare_it(discrete, monkeypatch):
    examples = factors(0)
    targets = (examples.targets > 0).astype(float) if discrete else examples.targets
    compared = []

    def first(_, rankings, *__):
        compared.extend(rankings)
        return rankings[0]

    monkeypatch.setattr(module, "preferred", first)
    Adaptive().scores(Examples(examples.inputs, targets, discrete), 5, 0)
    assert (Nonredundant() in compared) == (not discrete)
    assert len(compared) == 5


def test_every_selected_column_has_the_largest_discounted_f_value():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 8)) @ random.normal(size=(8, 12))
    y = X[:, [0, 5]].sum(1) + random.normal(size=50)
    scores = Nonredundant().scores(Examples(X, y[:, None], False), 6, 0)
    order = np.argsort(-scores)[:6].tolist()
    f_values, r = f_regression(X, y)[0], np.corrcoef(X.T)
    for n_before, column in enumerate(order):
        before = order[:n_before]
        shared = np.square(r[:, before]).max(1, initial=0)
        discounted = np.delete(f_values * (1 - shared), before)
        assert f_values[column] * (1 - shared[column]) == pytest.approx(discounted.max())
    assert scores[order].tolist() == [6, 5, 4, 3, 2, 1]
    assert (np.delete(scores, order) <= 0.5).all()


def test_one_column_of_a_unit_is_selected():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 6))
    y = X @ np.array([3.0, 2.0, 0.0, 1.0, 0.0, 0.0]) + random.normal(size=80)
    examples = Examples(X, y[:, None], False, units=np.array([0, 0, 1, 2, 2, 3]))
    scores = Nonredundant().scores(examples, 2, 0)
    assert np.flatnonzero(scores >= 1).tolist() == [0, 3]
    assert Nonredundant().scores(examples, 9, 0).max() == 4


def test_constant_columns_and_targets_are_allowed():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[:, 1] = 2.0
    assert Nonredundant().scores(Examples(X, X[:, :1], False), 3, 0)[1] == 0
    assert np.isfinite(Nonredundant().scores(Examples(X, np.ones((30, 1)), False), 3, 0)).all()
