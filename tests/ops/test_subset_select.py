"""Draws of K of D features, and the gradients of their inclusion probabilities."""

import pytest
import torch

from ipcae.ops.subset_select import (
    NOISES,
    draw_subsets,
    inclusion_probabilities,
    largest_subset,
    reference,
    run_by_run,
)
from ipcae.runs import Stream
from tests.random_tensors import normal

COUNTS = torch.tensor([1.0, 3.0, 6.0], dtype=torch.float64)


@pytest.fixture
def theta():
    generator = torch.Generator().manual_seed(0)
    return 2 * torch.randn(3, 7, generator=generator, dtype=torch.float64)


def slow_probabilities(theta, counts):
    """Solve for τ by bisection, then one step of Newton's method that autograd follows."""
    with torch.no_grad():
        low, high = (torch.full((len(theta), 1), end, dtype=theta.dtype) for end in (-50.0, 50.0))
        for _ in range(200):
            middle = (low + high) / 2
            above = torch.sigmoid(theta + middle).sum(-1, keepdim=True) > counts[:, None]
            low, high = torch.where(above, low, middle), torch.where(above, middle, high)
    at = torch.sigmoid(theta + low)
    slope = (at * (1 - at)).detach().sum(-1, keepdim=True)
    return torch.sigmoid(theta + low - (at.sum(-1, keepdim=True) - counts[:, None]) / slope)


def test_probabilities_sum_to_k(theta):
    found = inclusion_probabilities(theta, COUNTS)
    torch.testing.assert_close(found.sum(-1), COUNTS)
    assert ((found > 0) & (found < 1)).all()


@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0, 1000.0])
def test_probabilities_of_any_scale_sum_to_k(scale):
    theta = scale * normal(2, 5000, seed=1)
    counts = torch.tensor([3.0, 2000.0])
    torch.testing.assert_close(
        inclusion_probabilities(theta, counts).sum(-1), counts, rtol=1e-3, atol=0
    )


@pytest.mark.parametrize(("count", "expected"), [(7.0, 1.0), (0.0, 0.0)])
def test_all_or_no_features_are_certain(theta, count, expected):
    counts = torch.full((3,), count, dtype=torch.float64)
    found = inclusion_probabilities(theta, counts)
    torch.testing.assert_close(found, torch.full_like(theta, expected), rtol=0, atol=1e-3)


def test_values_and_gradients_are_those_of_the_slow_version(theta):
    weights = torch.linspace(-1, 1, theta.numel(), dtype=torch.float64).view_as(theta)
    results = []
    for function in (inclusion_probabilities, slow_probabilities):
        own = theta.clone().requires_grad_()
        found = function(own, COUNTS)
        results.append((found.detach(), *torch.autograd.grad((found * weights).sum(), own)))
    for ours, slow in zip(*results, strict=True):
        torch.testing.assert_close(ours, slow, rtol=1e-8, atol=1e-10)


def test_gradients_are_those_of_finite_differences(theta):
    theta.requires_grad_()
    assert torch.autograd.gradcheck(lambda own: inclusion_probabilities(own, COUNTS), theta)


@pytest.mark.parametrize("noise", NOISES)
def test_a_draw_has_exactly_k_features(theta, noise):
    masks = draw_subsets(theta.float(), COUNTS.float(), 5, Stream([1, 2, 3]), noise)
    assert masks.sum(-1).tolist() == [[k] * 5 for k in COUNTS.tolist()]
    assert set(masks.unique().tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("path", [reference, run_by_run], ids=["reference", "run by run"])
def test_the_gradient_of_draws_is_that_of_the_probabilities(theta, path):
    own, twin = (theta.clone().requires_grad_() for _ in range(2))
    weights = torch.randn(3, 5, 7, dtype=torch.float64)
    noise = torch.randn(3, 5, 7, dtype=torch.float64)
    (path.draw_subsets(own, COUNTS, noise) * weights).sum().backward()
    (inclusion_probabilities(twin, COUNTS) * weights.sum(1)).sum().backward()
    torch.testing.assert_close(own.grad, twin.grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("noise", "largest_error"), [("logistic", 0.012), ("gumbel", 0.05)])
def test_probabilities_are_close_to_the_frequencies_of_draws(noise, largest_error):
    theta, counts = torch.linspace(-1, 1, 40)[None], torch.tensor([8.0])
    masks = draw_subsets(theta, counts, 40_000, Stream([0]), noise)
    error = (masks.mean(1) - inclusion_probabilities(theta, counts)).abs().max()
    assert error < largest_error


def test_without_noise_the_largest_are_selected_and_ties_broken_by_order():
    assert largest_subset(torch.zeros(1, 4), torch.tensor([2.0])).tolist() == [[1, 1, 0, 0]]
    assert largest_subset(torch.tensor([[1.0, 3, 2]]), torch.tensor([2.0])).tolist() == [[0, 1, 1]]


def test_batched_equals_alone():
    theta = normal(3, 77)
    counts, upstream = torch.tensor([1.0, 30.0, 77.0]), torch.randn(3, 4, 77)

    def drawn(runs):
        own = theta[runs].clone().requires_grad_()
        masks = draw_subsets(own, counts[runs], 4, Stream([5, 6, 7][runs], 3))
        return masks, *torch.autograd.grad(masks, own, upstream[runs])

    together = drawn(slice(0, 3))
    for run in range(3):
        for tensor, alone in zip(together, drawn(slice(run, run + 1)), strict=True):
            assert torch.equal(tensor[run], alone[0])


@pytest.mark.parametrize("counts", [(0.0, 77.0), (1.0, 40.0)])
def test_run_by_run_is_the_reference(counts):
    theta = 3 * normal(2, 77, seed=2)
    noise = normal(2, 5, 77, seed=3).round(decimals=1)
    upstream, wanted, results = torch.randn(2, 5, 77), torch.tensor(counts), []
    for path in (reference, run_by_run):  # rounded noise has ties
        own = theta.round().requires_grad_()
        masks = path.draw_subsets(own, wanted, noise)
        results.append((masks, *torch.autograd.grad(masks, own, upstream)))
    (masks, gradient), (expected, by_reference) = results
    assert torch.equal(masks, expected)
    torch.testing.assert_close(gradient, by_reference, rtol=1e-3, atol=1e-4)


def test_a_theta_that_is_not_a_number_is_noticed():
    theta = torch.tensor([[0.0, torch.nan, 1.0], [0.0, 1.0, 2.0]])
    counts = torch.tensor([1.0, 1.0])
    masks = draw_subsets(theta, counts, 2, Stream([1, 2]))
    assert masks.isnan().any(-1).all(-1).tolist() == [True, False]
    assert largest_subset(theta, counts).isnan().any(-1).tolist() == [True, False]
