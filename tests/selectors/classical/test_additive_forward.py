"""Forward selection by an additive model of curves, and when it is used."""

import numpy as np
import pytest

from ipcae.selectors.classical import Adaptive, CoxAdaptive
from ipcae.selectors.classical.additive_forward import AdditiveForward
from ipcae.selectors.classical.examples import Examples


def waves_and_intervals(seed, n_columns=400):
    """Return a table in which two waves and two intervals matter."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(150, n_columns))
    y = np.sin(4 * X[:, :2]).sum(1) + 1.5 * (np.abs(X[:, 2:4]) < 0.4).sum(1)
    return X, y + 0.3 * random.normal(size=150)


def best_of(ranking, examples, n_selected):
    scores = ranking.scores(examples, n_selected, 0)
    return set(examples.best_columns(scores, n_selected).tolist())


@pytest.mark.parametrize("seed", range(3))
def test_adaptive_finds_waves_and_intervals_among_many_columns(seed):
    X, y = waves_and_intervals(seed)
    assert best_of(Adaptive(), Examples(X, y[:, None], False), 4) == {0, 1, 2, 3}


def test_they_are_found_for_survival_times():
    X, y = waves_and_intervals(0)
    random = np.random.default_rng(1)
    times = random.exponential(np.exp(-3 * (y - y.mean())))
    targets = np.column_stack([times, np.ones(len(times))])
    assert best_of(CoxAdaptive(), Examples(X, targets, False), 4) == {0, 1, 2, 3}


def test_rows_of_weight_zero_do_not_matter():
    X, y = waves_and_intervals(0, n_columns=20)
    other = np.random.default_rng(1)
    targets = np.concatenate([y, other.normal(size=150) * 9])[:, None]
    weights = np.repeat([1.0, 1e-12], 150)
    both = Examples(np.vstack([X, X]), targets, False, weights=weights)
    assert best_of(AdditiveForward(), both, 4) == {0, 1, 2, 3}


def test_columns_of_two_values_and_constant_ones_have_fewer_curves():
    random = np.random.default_rng(0)
    columns = np.stack([random.normal(size=60), np.arange(60.0) % 2, np.ones(60)])
    curves, freedom = AdditiveForward().curves(columns, np.ones(60))
    assert freedom.tolist() == [4, 1, 0]
    np.testing.assert_allclose(curves[0] @ curves[0].T, np.eye(4), atol=1e-12)
    assert not curves[2].any()


def test_one_column_of_a_unit_is_added():
    X, y = waves_and_intervals(0, n_columns=20)
    units = np.arange(20)
    units[1] = 0
    examples = Examples(X, y[:, None], False, units=units)
    scores = AdditiveForward().scores(examples, 4, 0)
    assert min(scores[0], scores[1]) <= 0.5
