"""Logistic regression with an ℓ1 penalty, compared with scikit-learn's."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from ipcae.selectors.classical import L1Logistic, l1_logistic
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.models.logistic_lasso import LogisticLasso

X, Y = load_digits(n_class=4, return_X_y=True)
X, Y = X[::2], Y[::2]
X = (X - X.mean(0)) / np.where(X.std(0) > 0, X.std(0), 1)


def fit(rows, labels, weights, penalty, **settings):
    model = LogisticLasso(
        torch.from_numpy(rows),
        torch.eye(labels.max() + 1, dtype=torch.float64)[labels],
        torch.from_numpy(weights)[:, None],
        torch.ones(rows.shape[1], 1, dtype=torch.float64),
        **settings,
    )
    found = model.zeros()
    for factor in (8 * penalty, 3 * penalty, penalty):
        found = model.fit(found, factor)
    return found.coefficients.numpy()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_coefficients_are_those_of_scikit_learn(n_classes):
    rows, labels = X[n_classes > Y], Y[n_classes > Y]
    weights = np.random.default_rng(0).uniform(0.5, 2, len(rows))
    expected = LogisticRegression(C=1 / 10, solver="saga", l1_ratio=1.0, tol=1e-7, max_iter=10_000)
    expected.fit(rows, labels, weights)
    found = fit(rows, labels, weights, 10.0, tolerance=1e-6, max_iter=10_000)
    sizes, expected_sizes = np.abs(found).sum(1), np.abs(expected.coef_).sum(0)
    assert 3 < np.count_nonzero(expected_sizes) < 50
    np.testing.assert_allclose(sizes, expected_sizes, rtol=2e-3, atol=1e-3)


def test_the_default_tolerance_gives_nearly_the_same_sizes():
    weights = np.ones(len(X))
    exact = np.abs(fit(X, Y, weights, 10.0, tolerance=1e-6, max_iter=10_000)).sum(1)
    few = np.abs(fit(X, Y, weights, 10.0)).sum(1)
    np.testing.assert_allclose(few, exact, atol=0.05 * exact.max())


def test_the_ranking_stops_as_soon_as_enough_columns_have_coefficients():
    examples = Examples(X, Y[:, None].astype(float), discrete=True)
    scores = L1Logistic(factor=1.1).scores(examples, 5, seed=0)
    assert 5 <= np.count_nonzero(scores) < 10
    assert not scores[X.std(0) == 0].any()


def test_columns_that_shift_a_class_are_found_in_a_wide_table():
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(100, 2000)), np.arange(100) < 15
    rows[np.ix_(labels, range(10))] += 2.0
    scores = L1Logistic().scores(Examples(rows, labels[:, None] * 1.0, discrete=True), 10, seed=0)
    assert np.isin(np.argsort(-scores)[:10], range(10)).sum() >= 9


def n_groups_found():
    """Return how many of nine groups of copies are found, three in each of three wide tables."""
    count = 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        labels = np.arange(200) % 2
        sources = random.normal(size=(200, 3)) + np.outer(labels, [2.0, 1.7, 1.4])
        copies = np.repeat(sources, 20, axis=1) + 0.1 * random.normal(size=(200, 60))
        rows = np.hstack([copies, random.normal(size=(200, 240))])
        examples = Examples(rows, labels[:, None] * 1.0, discrete=True)
        best = np.argsort(-L1Logistic().scores(examples, 6, seed=0))[:6]
        count += len({column // 20 for column in best if column < 60})
    return count


def test_fits_to_correlated_columns_are_not_stopped_early(monkeypatch):
    n_found = n_groups_found()
    monkeypatch.setattr(l1_logistic, "WIDE_TOLERANCE", l1_logistic.EARLY_TOLERANCE)
    assert n_found >= 8
    assert n_groups_found() <= 5
