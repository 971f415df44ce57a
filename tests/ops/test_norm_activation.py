"""Normalization and activation against PyTorch's layers, value and gradient."""

import pytest
import torch
from torch.nn import functional

from ipcae.ops import norm_activation
from ipcae.ops.norm_activation import reference


def example(dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    shapes = [(2, 5, 13), (2, 13), (2, 13)]
    return [
        torch.randn(shape, generator=generator, dtype=dtype, requires_grad=True) for shape in shapes
    ]


@pytest.mark.parametrize("slope", [-0.1, 0.0, 0.2])
def test_values_match_the_layers_of_every_run(slope):
    inputs, scale, shift = example()
    outputs = norm_activation(inputs, scale, shift, slope)
    for run in range(2):
        normal = functional.layer_norm(inputs[run], (13,), scale[run], shift[run])
        torch.testing.assert_close(outputs[run], functional.leaky_relu(normal, slope))


@pytest.mark.parametrize("slope", [-0.1, 0.2])
def test_gradients_match_finite_differences(slope):
    assert torch.autograd.gradcheck(lambda *tensors: norm_activation(*tensors, slope), example())


def test_the_version_in_place_equals_the_reference_bit_for_bit():
    tensors, weights = example(torch.float32), torch.randn(2, 5, 13)
    found, expected = norm_activation(*tensors, 0.2), reference(*tensors, 0.2)
    assert torch.equal(found, expected)
    gradients = [torch.autograd.grad((out * weights).sum(), tensors) for out in (found, expected)]
    assert all(map(torch.equal, *gradients))
