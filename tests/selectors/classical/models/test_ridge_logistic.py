"""Ridge logistic regression, and columns that are dropped from it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ipcae.selectors.classical.models.ridge_logistic import RidgeLogistic, row_space


def problem(n_rows=60, n_columns=8, seed=0):
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(n_rows, n_columns))
    target = (inputs[:, 0] - inputs[:, 1] + random.normal(size=n_rows) > 0.5).astype(float)
    return inputs, target, random.uniform(0.5, 1.5, n_rows)


def fitted(inputs, target, weights, penalty=2.0, basis=None, times=4):
    model = RidgeLogistic.without_columns(target, weights, inputs.shape[1])
    for _ in range(times):
        model = model.fitted(inputs, penalty, basis)
    return model


@pytest.mark.parametrize("n_columns", [8, 90])
def test_it_agrees_with_scikit_learn(n_columns):
    inputs, target, weights = problem(n_columns=n_columns)
    reference = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000)
    reference.fit(inputs, target, sample_weight=weights)
    basis = row_space(inputs) if n_columns > len(inputs) else None
    model = fitted(inputs, target, weights, basis=basis)
    assert model.weights == pytest.approx(reference.coef_[0], abs=2e-3)
    assert model.bias == pytest.approx(reference.intercept_[0], abs=2e-3)


def test_the_space_of_the_rows_gives_the_same_increases():
    inputs, target, weights = problem(n_rows=20, n_columns=50)
    of_columns = fitted(inputs, target, weights)
    of_rows = fitted(inputs, target, weights, basis=row_space(inputs))
    assert of_rows.weights == pytest.approx(of_columns.weights, abs=1e-6)
    assert of_rows.rises() == pytest.approx(of_columns.rises(), rel=1e-5)


def test_dropping_columns_inverts_the_smaller_hessian():
    model = fitted(*problem())
    out, kept = np.array([2, 5]), np.array([0, 1, 3, 4, 6, 7])
    smaller = model.without(out, kept)
    hessian = np.linalg.inv(model.inverse)
    assert smaller.inverse == pytest.approx(np.linalg.inv(hessian[np.ix_(kept, kept)]), abs=1e-10)
    refitted = np.linalg.solve(hessian[np.ix_(kept, kept)], hessian[kept] @ model.weights)
    assert smaller.weights == pytest.approx(refitted, abs=1e-10)


def test_a_column_that_separates_the_classes_keeps_finite_weights():
    target = np.repeat([0.0, 1.0], 10)
    model = fitted(100 * (target[:, None] - 0.5), target, np.ones(20), penalty=1e-3)
    assert np.isfinite(model.weights).all()
    assert np.isfinite(model.rises()).all()
