"""The matrix products of the kernels against float64, values and gradients."""

import pytest
import torch

from ipcae.ops import matrix_precision, run_linear
from ipcae.ops.run_linear import product_triton
from ipcae.ops.side_stream import DeferredGradients, deferred_gradients
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, rows, inputs, outputs): tiles have 16 to 128 of each.
SIZES = [(1, 1, 1, 1), (2, 7, 5, 3), (3, 16, 64, 32), (2, 33, 70, 41), (1, 5, 130, 90)]


def compare(device, inputs, weight, bias=None, tolerance=1e-5):
    """Check values and all gradients."""
    given = [tensor for tensor in (inputs, weight, bias) if tensor is not None]
    single = [tensor.to(device).requires_grad_() for tensor in given]
    double = [tensor.double().requires_grad_() for tensor in given]
    found = run_linear(*single)
    expected = torch.matmul(double[0], double[1].transpose(1, 2))
    if bias is not None:
        expected = expected + double[2].unsqueeze(1)
    upstream = normal(*expected.shape, seed=9)
    gradients = torch.autograd.grad(found, single, upstream.to(device))
    exact = torch.autograd.grad(expected, double, upstream.double())
    for own, true in zip((found, *gradients), (expected, *exact), strict=True):
        atol = tolerance * true.abs().max().item()
        torch.testing.assert_close(own.cpu().double(), true, rtol=0, atol=atol)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_values_and_gradients_match_float64(size, device):
    n_runs, n_rows, n_inputs, n_outputs = size
    weight = normal(n_runs, n_outputs, n_inputs, seed=1)
    bias = normal(n_runs, n_outputs, seed=2)
    compare(device, normal(n_runs, n_rows, n_inputs), weight, bias)


def test_a_map_without_bias_matches_float64(device):
    compare(device, normal(2, 7, 5), normal(2, 3, 5, seed=1))


@pytest.mark.parametrize("biased", [False, True])
def test_inputs_that_all_runs_share_match_float64(biased, device):
    bias = normal(3, 6, seed=2) if biased else None
    compare(device, normal(7, 20), normal(3, 6, 20, seed=1), bias)


def test_tensors_in_another_memory_layout_match_float64(device):
    compare(device, normal(2, 5, 7).transpose(1, 2), normal(2, 5, 3, seed=1).transpose(1, 2))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("precision", "tolerance"), [("tf32", 4e-3), ("bfloat16", 2e-2)])
def test_lower_precision_is_near_float64(precision, tolerance, size, device):
    n_runs, n_rows, n_inputs, n_outputs = size
    weight = normal(n_runs, n_outputs, n_inputs, seed=1)
    bias = normal(n_runs, n_outputs, seed=2)
    with matrix_precision(precision):
        compare(device, normal(n_runs, n_rows, n_inputs), weight, bias, tolerance=tolerance)


def test_the_tiles_of_large_results_give_the_same(device, monkeypatch):
    monkeypatch.setattr(product_triton, "_LARGE", 1)
    with matrix_precision("tf32"):
        compare(device, normal(2, 33, 50), normal(2, 141, 50, seed=1), tolerance=4e-3)


@pytest.mark.parametrize(("n_inputs", "n_outputs"), [(140, 300), (300, 140), (270, 280)])
def test_the_tiles_of_large_layers_give_the_same(n_inputs, n_outputs, device, monkeypatch):
    monkeypatch.setattr(product_triton, "_OCCUPIED", 1)
    weight, bias = normal(1, n_outputs, n_inputs, seed=1), normal(1, n_outputs, seed=2)
    with matrix_precision("tf32"):
        compare(device, normal(1, 70, n_inputs), weight, bias, tolerance=4e-3)


def test_bfloat16_rounds_the_factors(device):
    inputs, weight = torch.full((1, 1, 1), 1 + 2.0**-9), torch.ones(1, 1, 1)
    with matrix_precision("bfloat16"):
        assert run_linear(inputs.to(device), weight.to(device)).item() == 1.0
    assert run_linear(inputs.to(device), weight.to(device)).item() == 1 + 2.0**-9


@pytest.fixture
def deferrals(monkeypatch):
    """Return a list that grows by one for every deferred computation."""
    made, compute = [], DeferredGradients.compute

    def noted(deferred, *arguments):
        made.append(deferred)
        return compute(deferred, *arguments)

    monkeypatch.setattr(DeferredGradients, "compute", noted)
    return made


@pytest.mark.parametrize("uses", [1, 2])
def test_deferred_gradients_are_the_same(uses, device, deferrals):
    inputs, weight = normal(2, 7, 5).to(device), normal(2, 3, 5, seed=1).to(device)
    leaves = [inputs.requires_grad_(), weight.requires_grad_()]

    def gradients():
        out = sum(run_linear(inputs * (i + 1), weight).square().sum() for i in range(uses))
        return torch.autograd.grad(out, leaves, allow_unused=True)

    with deferred_gradients() as deferred:
        found = gradients()
    assert len(deferrals) == uses
    assert found[1] is None
    assert all(map(torch.equal, deferred.add_to(leaves, found), gradients()))


def test_the_gradient_of_a_computed_weight_goes_on_backward(device, deferrals):
    inputs, made_from = normal(2, 7, 5).to(device), normal(2, 3, 5, seed=1).to(device)
    inputs.requires_grad_()
    made_from.requires_grad_()

    def gradient():
        out = run_linear(2 * inputs, made_from.exp()).square().sum()
        return torch.autograd.grad(out, made_from)[0]

    with deferred_gradients():
        found = gradient()
    assert len(deferrals) == 1
    assert torch.equal(found, gradient())


def test_nothing_is_deferred_where_no_layer_comes_before(device, deferrals):
    inputs, weight = normal(2, 7, 5).to(device), normal(2, 3, 5, seed=1).to(device)
    weight.requires_grad_()
    with deferred_gradients():
        torch.autograd.grad(run_linear(inputs, weight).sum(), [weight])
    assert not deferrals
