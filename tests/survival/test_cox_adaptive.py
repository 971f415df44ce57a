"""The ranking for survival times that is not only linear, and the decoders after it."""

import numpy as np
import pytest

from ipcae import SurvivalSelector
from ipcae.selectors import CoxAdaptive, CoxElimination
from ipcae.selectors.classical import Examples
from ipcae.survival import deviance_residuals, martingale_residuals


def simulated(log_hazard, n_rows=400, n_columns=30, seed=0):
    """Return columns, and times and events whose log hazards are a function of the columns."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    time = random.exponential(np.exp(-log_hazard(X)))
    limit = random.uniform(0.2, 4, size=n_rows)
    return X, np.column_stack([np.minimum(time, limit), time < limit])


def product(X):
    return 1.2 * X[:, 0] * X[:, 1] + 0.5 * X[:, 2]


def both_extremes(X):
    return np.square(X[:, 0]) + 0.6 * X[:, 1]


def linear(X):
    return X[:, 0] - X[:, 1]


def best(method, X, y, n_selected, weights=None):
    scores = method.scores(Examples(X, y, False, weights), n_selected, seed=0)
    return set(np.argsort(-scores)[:n_selected].tolist())


@pytest.mark.parametrize(
    ("log_hazard", "expected"), [(product, {0, 1, 2}), (both_extremes, {0, 1})]
)
def test_columns_that_a_linear_model_misses_are_found(log_hazard, expected):
    X, y = simulated(log_hazard)
    assert best(CoxAdaptive(), X, y, len(expected)) == expected
    assert best(CoxElimination(), X, y, len(expected)) != expected


def test_linear_effects_are_ranked_by_cox_models():
    examples = Examples(*simulated(linear), discrete=False)
    adaptive, elimination = (
        method.scores(examples, 2, seed=0) for method in (CoxAdaptive(), CoxElimination())
    )
    np.testing.assert_array_equal(adaptive, elimination)


def test_rows_of_weight_zero_have_no_influence():
    X, y = simulated(product, n_rows=600)
    y[400:, 0] = np.random.default_rng(1).exponential(size=200)
    weights = np.repeat([1.0, 0.0], [400, 200])
    assert best(CoxAdaptive(), X, y, 3, weights) == {0, 1, 2}


@pytest.mark.parametrize(
    ("log_hazard", "kinds"),
    [(linear, {"usual"}), (both_extremes, {"additive"}), (product, {"network"})],
)
def test_the_decoder_suits_the_effects(log_hazard, kinds):
    X, y = simulated(log_hazard, n_columns=5)
    selector = SurvivalSelector(3, max_epochs=40, random_state=0).fit(X, y)
    assert set(selector.decoders_) == kinds
    plain = SurvivalSelector(3, decoder="linear", random_state=0).fit(X, y)
    new = simulated(log_hazard, 1000, 5, seed=1)
    ahead = selector.score(*new) - plain.score(*new)
    assert ahead == 0 if kinds == {"usual"} else ahead > 0.05


def test_deviance_residuals_rank_rows_like_martingale_residuals():
    time, event = simulated(linear)[1].T
    deviance, martingale = (
        residuals(time, event > 0) for residuals in (deviance_residuals, martingale_residuals)
    )
    happened = event > 0
    for rows in (happened, ~happened):
        assert (np.diff(deviance[rows][np.argsort(martingale[rows])]) >= 0).all()
    skews = [np.mean((each / each.std()) ** 3) for each in (deviance, martingale)]
    assert abs(skews[0]) < abs(skews[1])
    assert martingale.sum() == pytest.approx(0, abs=1e-9)
