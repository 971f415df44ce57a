"""The loss, the indices and the baseline hazard are those of scikit-survival."""

import numpy as np
import pytest
import torch
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.linear_model.coxph import BreslowEstimator, CoxPHOptimizer
from sksurv.metrics import concordance_index_censored, concordance_index_ipcw
from sksurv.nonparametric import kaplan_meier_estimator

from ipcae.losses import CoxPartialLikelihood, mean_loss
from ipcae.rows import Rows
from ipcae.survival import concordance, cumulative_hazard, kaplan_meier
from ipcae.tables import fit_scaler
from ipcae.tasks import Survival


def parts(y):
    event, time = (y[name] for name in y.dtype.names)
    return time.astype(float), event


def risks(X, seed=0):
    """Return the log hazards of random coefficients, and the standardized columns."""
    Z = ((X - X.mean()) / X.std()).to_numpy()
    coefficients = np.random.default_rng(seed).normal(size=Z.shape[1]) / Z.shape[1] ** 0.5
    return Z, coefficients, Z @ coefficients


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_loss_of_fixed_coefficients_is_that_of_sksurv(table, ties):
    X, y = table
    time, event = parts(y)
    Z, coefficients, risk = risks(X)
    expected = CoxPHOptimizer(Z, event, time, np.zeros(Z.shape[1]), ties).nlog_likelihood(
        coefficients
    )
    targets = torch.tensor(np.stack([time, event], 1))
    loss = CoxPartialLikelihood(ties)
    rows = loss.per_row(torch.tensor(risk)[None, :, None], targets)
    assert rows.mean().item() == pytest.approx(expected, rel=1e-10)
    single = loss.per_row(torch.tensor(risk).float()[None, :, None], targets)
    assert single.mean().item() == pytest.approx(expected, rel=1e-5)


def test_gradient_descent_finds_the_coefficients_of_sksurv(table):
    X, y = table
    X = X.iloc[:, :5]
    time, event = parts(y)
    Z, _, _ = risks(X)
    expected = CoxPHSurvivalAnalysis(ties="efron").fit(Z, y).coef_
    targets, inputs = torch.tensor(np.stack([time, event], 1)), torch.tensor(Z)
    coefficients = torch.zeros(Z.shape[1], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([coefficients], max_iter=100, line_search_fn="strong_wolfe")

    def objective():
        optimizer.zero_grad()
        outputs = (inputs @ coefficients)[None, :, None]
        value = CoxPartialLikelihood().per_row(outputs, targets).mean()
        value.backward()
        return value

    optimizer.step(objective)
    np.testing.assert_allclose(coefficients.detach(), expected, atol=2e-4)


def test_both_concordance_indices_are_those_of_sksurv(table):
    X, y = table
    time, event = parts(y)
    _, _, risk = risks(X)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    test = test[time[test] < time[train].max()]
    targets = torch.tensor(np.stack([time, event], 1))
    rows = Rows(torch.zeros(len(train), 1), targets[train])
    task = Survival().fitted(rows, fit_scaler(rows.inputs, None), Survival().loss)
    metrics = task.metrics(torch.tensor(risk)[test, None], targets[test])
    harrell = concordance_index_censored(event[test], time[test], risk[test])[0]
    uno = concordance_index_ipcw(y[train], y[test], risk[test])[0]
    assert metrics["concordance"] == pytest.approx(harrell, abs=1e-12)
    assert metrics["concordance_ipcw"] == pytest.approx(uno, abs=1e-10)


def test_tied_risks_count_one_half_as_in_sksurv(table):
    X, y = table
    time, event = parts(y)
    risk = risks(X)[2].round(0)
    expected = concordance_index_censored(event, time, risk)[0]
    assert concordance(time, event, risk) == pytest.approx(expected, abs=1e-12)


def test_the_baseline_hazard_and_kaplan_meier_are_those_of_sksurv(table):
    X, y = table
    time, event = parts(y)
    risk = risks(X)[2]
    hazard = cumulative_hazard(time, event, risk)
    expected = BreslowEstimator().fit(risk, event, time).cum_baseline_hazard_
    np.testing.assert_allclose(hazard.at(time, before=0.0), expected(time), rtol=1e-10)
    times, probability = kaplan_meier_estimator(event, time)
    np.testing.assert_allclose(kaplan_meier(time, event).at(times), probability, rtol=1e-12)


def test_a_weight_of_two_is_a_row_twice(table):
    X, y = table
    time, event = parts(y)
    risk = risks(X)[2]
    weights = np.arange(len(y)) % 3
    twice = np.repeat(np.arange(len(y)), weights)
    loss = CoxPartialLikelihood("breslow")
    targets = torch.tensor(np.stack([time, event], 1))
    outputs = torch.tensor(risk)[None, :, None]
    weighted = torch.tensor(weights, dtype=torch.float64)
    one = mean_loss(loss.per_row(outputs, targets, weighted), weighted)
    other = loss.per_row(outputs[:, twice], targets[twice]).mean()
    assert one.item() == pytest.approx(other.item(), rel=1e-10)
    both = concordance(time, event, risk, weights=weights.astype(float))
    assert both == pytest.approx(concordance(time[twice], event[twice], risk[twice]), abs=1e-12)
