"""The ranking by elimination with Cox models."""

import numpy as np
from sksurv.linear_model import CoxPHSurvivalAnalysis

from ipcae import SurvivalSelector
from ipcae.selectors import CoxElimination
from ipcae.selectors.classical import Examples
from ipcae.survival import RiskSets, fit_cox


def simulated(n_rows=150, n_columns=60, seed=0):
    """Return columns of which the first two decide the hazard, with times and events."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    time = random.exponential(np.exp(-X[:, 0] + X[:, 1]))
    limit = random.uniform(0.2, 4, size=n_rows)
    return X, np.column_stack([np.minimum(time, limit).round(1) + 0.1, time < limit])


def best(X, y, n_selected, weights=None):
    scores = CoxElimination().scores(Examples(X, y, False, weights), n_selected, seed=0)
    return set(np.argsort(-scores)[:n_selected].tolist())


def test_the_coefficients_are_those_of_sksurv(table):
    X, y = table
    event, time = (y[name] for name in y.dtype.names)
    Z = ((X - X.mean()) / X.std()).to_numpy()
    for ridge in (10.0, 100.0):
        risk = RiskSets.of(time.astype(float), event.astype(float), np.ones(len(Z)))
        found = fit_cox(Z, risk, ridge, np.zeros(len(Z)), n_iterations=100)
        expected = CoxPHSurvivalAnalysis(alpha=ridge, ties="breslow").fit(Z, y).coef_
        np.testing.assert_allclose(found, expected, atol=2e-3 * np.abs(expected).max())


def test_weights_of_two_are_repeated_rows():
    X, y = simulated(40, 5)
    weights = np.where(np.arange(40) % 3 == 0, 2.0, 1.0)
    often = np.repeat(np.arange(40), weights.astype(int))
    once = RiskSets.of(*y.T, weights)
    repeated = RiskSets.of(*y[often].T, np.ones(len(often)))
    np.testing.assert_allclose(
        fit_cox(X, once, 1.0, np.zeros(40), 50),
        fit_cox(X[often], repeated, 1.0, np.zeros(len(often)), 50),
        rtol=1e-6,
    )


def test_the_columns_that_decide_the_hazard_are_found():
    X, y = simulated()
    assert best(X, y, 2) == {0, 1}


def test_of_repeated_columns_one_is_kept():
    X, y = simulated()
    noise = np.random.default_rng(1).normal(size=(len(X), 10))
    X = np.hstack([X[:, :2], X[:, :1] + 0.01 * noise])
    assert 1 in best(X, y, 2)


def test_a_selector_uses_it_with_included_columns():
    X, y = simulated()
    selector = SurvivalSelector(
        3, method="cox-elimination", include=[7], max_epochs=4, random_state=0
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 7]
