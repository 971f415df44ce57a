"""LassoNet's proximal operator: optimal, as published, the same by both ways, for groups too."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from ipcae.ops import grouped, hierarchical_prox, ungrouped
from ipcae.ops.hierarchical_prox import _by_newton, _by_sorting


def problem(n_runs=2, n_outputs=3, n_hidden=6, n_features=40, scale=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    skip = torch.randn(n_runs, n_outputs, n_features, generator=generator, dtype=torch.float64)
    hidden = torch.randn(n_runs, n_hidden, n_features, generator=generator, dtype=torch.float64)
    threshold = 3 * torch.rand(n_runs, n_features, generator=generator, dtype=torch.float64)
    return skip, scale * hidden, threshold


def objective(theta, bounded, skip, hidden, threshold):
    """Return the value that every feature's weights minimize, (R, D)."""
    distance = (theta - skip).square().sum(1) + (bounded - hidden).square().sum(1)
    return distance / 2 + threshold * theta.norm(dim=1)


@pytest.mark.parametrize("hierarchy", [0.5, 10.0])
@pytest.mark.parametrize("scale", [0.01, 0.3, 3.0])
def test_the_weights_obey_the_hierarchy(scale, hierarchy):
    skip, hidden, threshold = problem(scale=scale)
    theta, bounded = hierarchical_prox(skip, hidden, threshold, hierarchy)
    slack = hierarchy * theta.norm(dim=1) - bounded.abs().amax(1)
    assert slack.min() > -1e-9
    dead = (theta == 0).all(1)
    assert (bounded.transpose(1, 2)[dead] == 0).all()


@pytest.mark.parametrize("hierarchy", [0.5, 10.0])
@pytest.mark.parametrize("scale", [0.01, 0.3, 3.0])
def test_no_allowed_weights_are_better(scale, hierarchy):
    """The best bound w, sought by brute force along the one line the minimizer must lie on."""
    skip, hidden, threshold = problem(scale=scale)
    theta, bounded = hierarchical_prox(skip, hidden, threshold, hierarchy)
    found = objective(theta, bounded, skip, hidden, threshold)
    direction = skip / skip.norm(dim=1, keepdim=True)
    # A minimizer keeps the direction of v, and clips u at M‖θ‖: only the length is free.
    for length in np.concatenate([[0.0], np.geomspace(1e-4, 30, 600)]):
        limit = hierarchy * length
        tried = objective(length * direction, hidden.clamp(-limit, limit), skip, hidden, threshold)
        assert (found <= tried + 1e-9).all()


def test_a_general_solver_finds_nothing_better():
    skip, hidden, threshold = problem(n_runs=1, n_outputs=2, n_hidden=3, n_features=6, scale=0.5)
    theta, bounded = hierarchical_prox(skip, hidden, threshold, 2.0)
    found = objective(theta, bounded, skip, hidden, threshold)[0]
    for d in range(6):
        v, u, t = skip[0, :, d].numpy(), hidden[0, :, d].numpy(), float(threshold[0, d])

        def value(z, v=v, u=u, t=t):
            distance = ((z[:2] - v) ** 2).sum() + ((z[2:] - u) ** 2).sum()
            return distance / 2 + t * np.sqrt((z[:2] ** 2).sum() + 1e-12)

        # ±W ≤ M‖θ‖ for every hidden weight.
        room = {
            "type": "ineq",
            "fun": lambda z: np.concatenate(
                [2 * np.linalg.norm(z[:2]) - z[2:], 2 * np.linalg.norm(z[:2]) + z[2:]]
            ),
        }
        start = np.concatenate([v, np.clip(u, -1e-3, 1e-3)])
        solved = minimize(value, start, constraints=[room], method="SLSQP")
        assert found[d] <= solved.fun + 1e-5


@pytest.mark.parametrize("scale", [0.0, 0.001, 0.1, 1.0, 10.0])
def test_sorting_and_climbing_agree(scale):
    skip, hidden, threshold = problem(n_hidden=50, n_features=200, scale=scale)
    slack = skip.norm(dim=1) - threshold * (1 + 30 * scale)
    torch.testing.assert_close(
        _by_newton(slack, hidden.abs(), 10.0), _by_sorting(slack, hidden.abs(), 10.0)
    )


def test_a_feature_without_skip_weights_stays_out():
    skip, hidden = torch.zeros(1, 2, 1), torch.ones(1, 4, 1)
    theta, bounded = hierarchical_prox(skip, hidden, torch.tensor([[0.1]]), 10.0)
    assert not theta.any()
    assert not bounded.any()


def test_without_a_price_weights_within_the_hierarchy_stay():
    skip, hidden, threshold = problem(scale=0.01)
    theta, bounded = hierarchical_prox(skip, hidden, 0 * threshold, 10.0)
    torch.testing.assert_close(theta, skip)
    torch.testing.assert_close(bounded, hidden)


@pytest.mark.parametrize("scale", [0.01, 1.0, 10.0])
def test_it_is_the_published_operator(scale):
    published = pytest.importorskip("lassonet.prox", reason="pip install lassonet")
    skip, hidden, threshold = problem(scale=scale)
    theta, bounded = hierarchical_prox(skip, hidden, threshold[:, :1], 10.0)
    for run, own in enumerate(threshold[:, 0].tolist()):
        beta, weights = published.prox(skip[run], hidden[run], lambda_=own, lambda_bar=0.0, M=10.0)
        torch.testing.assert_close(theta[run], beta)
        torch.testing.assert_close(bounded[run], weights)


GROUPS = [[0, 3], [1], [2, 4, 5]]
MEMBERS = torch.tensor([[0, 3, 6], [1, 6, 6], [2, 4, 5]])


def test_groups_are_the_published_ones():
    published = pytest.importorskip("lassonet.prox", reason="pip install lassonet")
    skip, hidden, _ = problem(n_runs=1, n_features=6)
    together = [grouped(weights, MEMBERS) for weights in (skip, hidden)]
    threshold = torch.tensor([[1.0]], dtype=skip.dtype)
    theta, bounded = (
        ungrouped(weights, MEMBERS, 6) for weights in hierarchical_prox(*together, threshold, 10.0)
    )
    layers = [torch.nn.Linear(6, n, bias=False, dtype=skip.dtype) for n in (3, 6)]
    for layer, weights in zip(layers, (skip, hidden), strict=True):
        layer.weight.data = weights[0].clone()
    published.inplace_group_prox(GROUPS, *layers, 1.0, 0.0, 10.0)
    torch.testing.assert_close(theta[0], layers[0].weight.data)
    torch.testing.assert_close(bounded[0], layers[1].weight.data)


def test_grouping_loses_nothing():
    weights = torch.randn(2, 4, 6)
    assert torch.equal(ungrouped(grouped(weights, MEMBERS), MEMBERS, 6), weights)
