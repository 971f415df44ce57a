"""Adam's update in one launch against PyTorch's Adam on every run by itself."""

import pytest
import torch

from ipcae.ops.adam_product_triton import adam_update_by_product
from ipcae.ops.adam_triton import adam_update
from ipcae.ops.product_gradient import ProductGradient, SumGradient
from ipcae.runs import DeviceStep

pytestmark = pytest.mark.usefixtures("kernels")

RATES = (1e-2, 0.3)
SHAPES = [(2, 5, 3), (2, 1500), (2, 1)]  # a program takes 1024 numbers of a tensor


def tensors(seed):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for shape in SHAPES]


def with_torch(run, params, n_steps, weight_decay, state=None):
    """Train one run's slices with ``torch.optim.Adam`` in float64, from this state on."""
    own = [tensor[run].double().requires_grad_() for tensor in params]
    optimizer = torch.optim.Adam(own, lr=RATES[run], weight_decay=weight_decay)
    if state is not None:
        steps, firsts, seconds = state
        for param, first, second in zip(own, firsts, seconds, strict=True):
            optimizer.state[param] = {
                "step": torch.tensor(float(steps)),
                "exp_avg": first[run].double(),
                "exp_avg_sq": second[run].double(),
            }
    for step in range(n_steps):
        for param, gradient in zip(own, tensors(100 + step), strict=True):
            param.grad = gradient[run].double()
        optimizer.step()
    return own


def with_the_kernel(device, params, first_step, n_steps, weight_decay, moments=None):
    """Train all runs; the device's step lags one behind, as the offset tells."""
    params = [tensor.to(device) for tensor in params]
    zeros = [torch.zeros_like(tensor) for tensor in params]
    firsts, seconds = (
        [tensor.to(device).clone() for tensor in group] for group in moments or (zeros, zeros)
    )
    sizes = torch.tensor(RATES, device=device)
    for step in range(n_steps):
        gradients = [tensor.to(device) for tensor in tensors(100 + step)]
        place = DeviceStep(torch.tensor(first_step + step - 1, device=device), 1)
        adam_update(params, gradients, firsts, seconds, sizes, place, weight_decay)
    return params


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_every_run_moves_as_pytorchs_adam_moves_it(weight_decay, device):
    moved = with_the_kernel(device, [t.clone() for t in tensors(0)], 0, 6, weight_decay)
    for run in range(2):
        expected = with_torch(run, tensors(0), 6, weight_decay)
        for found, true in zip(moved, expected, strict=True):
            torch.testing.assert_close(
                found[run].cpu().double(), true.detach(), rtol=1e-5, atol=1e-5
            )


@pytest.mark.parametrize("first_step", [400, 19_999, 20_000, 3_000_000])
def test_late_steps_are_pytorchs_too(first_step, device):
    moments = tensors(1), [tensor.square() for tensor in tensors(2)]
    start = [tensor.clone() for tensor in tensors(0)]
    moved = with_the_kernel(device, start, first_step, 1, 0.0, moments)
    for run in range(2):
        expected = with_torch(run, tensors(0), 1, 0.0, (first_step, *moments))
        for found, true in zip(moved, expected, strict=True):
            torch.testing.assert_close(
                found[run].cpu().double(), true.detach(), rtol=1e-5, atol=1e-5
            )


def test_a_rate_of_zero_moves_nothing(device):
    params = [tensor.to(device) for tensor in tensors(0)]
    zeros = [[torch.zeros_like(tensor) for tensor in params] for _ in range(2)]
    gradients = [tensor.to(device) for tensor in tensors(1)]
    step = DeviceStep(torch.tensor(0, device=device))
    adam_update(params, gradients, *zeros, torch.zeros(2, device=device), step, 0.0)
    assert all(torch.equal(a.cpu(), b) for a, b in zip(params, tensors(0), strict=True))


@pytest.mark.parametrize(("n_rows", "n_inner", "n_columns"), [(33, 3, 65), (70, 50, 10)])
def test_factors_of_a_gradient_move_a_weight_as_their_product_does(
    n_rows, n_inner, n_columns, device
):
    generator = torch.Generator().manual_seed(0)
    left, right, param, first, second = (
        torch.randn(2, *shape, generator=generator).to(device)
        for shape in [(n_inner, n_rows), (n_inner, n_columns), *[(n_rows, n_columns)] * 3]
    )
    gradient = ProductGradient(left.transpose(1, 2), right, "tf32x3")
    second.square_()
    how = torch.tensor(RATES, device=device), DeviceStep(torch.tensor(7, device=device)), 0.1
    expected = [tensor.clone() for tensor in (param, first, second)]
    adam_update(*[[tensor] for tensor in (expected[0], gradient.computed(), *expected[1:])], *how)
    adam_update_by_product(param, gradient, first, second, *how)
    for found, true in zip((param, first, second), expected, strict=True):
        torch.testing.assert_close(found, true, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n_terms", [1, 50])
def test_terms_of_a_gradient_move_a_bias_as_their_sum_does(n_terms, device):
    generator = torch.Generator().manual_seed(0)
    terms, other, bias, weight = (
        torch.randn(2, *shape, generator=generator).to(device)
        for shape in [(n_terms, 70), (5, 3), (70,), (5, 3)]
    )
    rates, step = torch.tensor(RATES, device=device), DeviceStep(torch.tensor(7, device=device))
    moved = []
    for gradient in (SumGradient(terms), SumGradient(terms).computed()):
        own = [bias.clone(), weight.clone()]
        moments = [[torch.ones_like(tensor) for tensor in own] for _ in range(2)]
        adam_update(own, [gradient, other], *moments, rates, step, 0.1)
        moved.append([*own, *moments[0], *moments[1]])
    for found, true in zip(*moved, strict=True):
        torch.testing.assert_close(found, true, rtol=1e-5, atol=1e-6)
