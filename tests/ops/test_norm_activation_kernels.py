"""Normalization with activation in kernels against float64, values and gradients."""

import pytest
import torch
from torch.nn import functional

from ipcae.ops import norm_activation

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, rows, width): one program takes a row, or 64 rows and 32 units.
SIZES = [(1, 1, 2), (2, 3, 5), (1, 2, 32), (2, 5, 70), (1, 66, 9)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("slope", [0.2, 0.0])
def test_values_and_gradients_match_float64(size, slope, device):
    n_runs, n_rows, width = size
    generator = torch.Generator().manual_seed(width)
    inputs = 3 + 2 * torch.randn(n_runs, n_rows, width, generator=generator)
    scale = torch.randn(n_runs, width, generator=generator)
    shift = torch.randn(n_runs, width, generator=generator)
    upstream = torch.randn(n_runs, n_rows, width, generator=generator)
    single = [tensor.to(device).requires_grad_() for tensor in (inputs, scale, shift)]
    double = [tensor.double().requires_grad_() for tensor in (inputs, scale, shift)]

    found = norm_activation(*single, slope)
    normal = functional.layer_norm(double[0], (width,))
    expected = functional.leaky_relu(normal * double[1][:, None] + double[2][:, None], slope)
    gradients = torch.autograd.grad(found, single, upstream.to(device))
    exact = torch.autograd.grad(expected, double, upstream.double())
    for own, true in zip((found, *gradients), (expected, *exact), strict=True):
        torch.testing.assert_close(own.cpu().double(), true, rtol=1e-4, atol=2e-5)


def test_a_constant_row_gives_the_bent_shift(device):
    shift = torch.tensor([[-1.0, 2.0, 0.5]], device=device)
    scale = torch.ones(1, 3, device=device)
    found = norm_activation(torch.full((1, 2, 3), 7.0, device=device), scale, shift, 0.5)
    expected = torch.tensor([-0.5, 2.0, 0.5]).expand(1, 2, 3)
    # A GPU's mean of a constant may miss it by a bit, times 1 / √ε.
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=1e-3)
