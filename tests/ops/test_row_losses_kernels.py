"""Losses of rows in kernels against float64, values and gradients."""

import pytest
import torch

from ipcae.ops import cross_entropy_rows, losses_and_gradients, squared_error_rows
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, rows, outputs)
SIZES = [(1, 1, 1), (2, 3, 5), (1, 2, 64), (2, 2, 77)]


def compare(device, loss, exact_loss, outputs, targets, tolerance=1e-5):
    single = outputs.to(device).requires_grad_()
    double = outputs.double().requires_grad_()
    found, expected = loss(single, targets.to(device)), exact_loss(double, targets)
    upstream = normal(*expected.shape, seed=9)
    (gradient,) = torch.autograd.grad(found, single, upstream.to(device))
    (exact,) = torch.autograd.grad(expected, double, upstream.double())
    for own, true in ((found, expected), (gradient, exact)):
        torch.testing.assert_close(own.cpu().double(), true, rtol=tolerance, atol=tolerance)


def squared_error(outputs, targets):
    return (outputs - targets.double()).square().mean(-1)


def cross_entropy(outputs, targets):
    every_run = targets.expand(outputs.shape[:2])
    return -torch.log_softmax(outputs, -1).gather(-1, every_run[..., None])[..., 0]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_squared_error_matches_float64(size, device):
    compare(device, squared_error_rows, squared_error, normal(*size), normal(*size[1:], seed=1))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_cross_entropy_matches_float64(size, spread, device):
    targets = torch.randint(size[2], (size[1],), generator=torch.Generator().manual_seed(1))
    compare(device, cross_entropy_rows, cross_entropy, spread * normal(*size), targets)


def test_outputs_in_another_memory_layout_give_the_same_losses(device):
    outputs, targets = normal(2, 5, 3).to(device), normal(3, 5, seed=1).to(device)
    turned = outputs.transpose(1, 2)
    assert torch.equal(
        squared_error_rows(turned, targets), squared_error_rows(turned.contiguous(), targets)
    )


@pytest.mark.parametrize("kind", [squared_error_rows, cross_entropy_rows])
def test_losses_and_gradients_at_once_are_those_of_autograd(kind, device):
    outputs = normal(2, 6, 5).to(device).requires_grad_()
    targets = normal(6, 5, seed=1) if kind is squared_error_rows else torch.arange(6) % 5
    targets = targets.to(device)
    above = normal(2, 1, seed=2).to(device).expand(2, 6)
    losses, gradients = losses_and_gradients(kind, outputs, targets, above)
    expected = kind(outputs, targets)
    assert torch.equal(losses, expected)
    assert torch.equal(gradients, torch.autograd.grad(expected, outputs, above)[0])
    assert not losses.requires_grad
