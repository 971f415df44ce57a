"""Gradients computed on a side stream are the sum over all uses of a weight."""

import pytest
import torch

from ipcae.ops import norm_activation, run_linear
from ipcae.ops.dispatch import kernels_everywhere
from ipcae.ops.side_stream import DeferredGradients, current_deferred, deferred_gradients


def normal(*shape, seed, device):
    tensor = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return tensor.to(device).requires_grad_()


@pytest.fixture
def stream(device):
    return torch.cuda.Stream(device) if device.type == "cuda" else None


def test_gradients_are_deferred_inside_the_block_alone():
    assert current_deferred() is None
    with deferred_gradients() as outer:
        with deferred_gradients() as inner:
            assert current_deferred() is inner
        assert current_deferred() is outer
    assert current_deferred() is None


def test_the_block_ends_after_an_error_too():
    with pytest.raises(KeyError), deferred_gradients():
        raise KeyError
    assert current_deferred() is None


def test_a_weight_that_was_computed_is_not_deferred():
    weight = torch.ones(3, requires_grad=True)
    deferred = DeferredGradients()
    assert deferred.compute(lambda: [weight.detach()], [weight * 2], [])[0] is not None
    assert deferred.compute(lambda: [weight.detach()], [weight], []) == [None]


def test_gradients_of_weights_that_nobody_asked_for_are_ignored():
    weight, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    deferred = DeferredGradients()
    deferred.compute(lambda: [torch.ones(3)], [other], [])
    assert deferred.add_to([weight], [None]) == [None]


def test_a_gradient_is_there_when_the_block_has_ended(device, stream):
    weight = torch.ones(2000, 2000, device=device, requires_grad=True)
    factor = torch.eye(2000, device=device)
    with deferred_gradients(stream) as deferred:
        deferred.compute(lambda: [factor @ weight.detach() @ factor], [weight], [factor])
    (total,) = deferred.add_to([weight], [torch.ones_like(weight)])
    assert total.sum().item() == 2 * 2000**2


def once(weight, bias, inputs):
    return run_linear(inputs * 2, weight, bias).square().sum()


def twice(weight, bias, inputs):
    hidden = run_linear(inputs * 2, weight, bias)
    return run_linear(hidden.sin(), weight, bias).square().sum()


def with_another_operation(weight, bias, inputs):
    return once(weight, bias, inputs) + (weight**2).sum() + (bias**3).sum()


def twice_with_another_operation(weight, bias, inputs):
    return twice(weight, bias, inputs) + (weight**2).sum() + (bias**3).sum()


def normalized(weight, bias, inputs):
    hidden = run_linear(inputs * 2, weight, bias)
    return norm_activation(hidden, bias, bias * 2, 0.2).square().sum() + bias.exp().sum()


def shared_scale_and_shift(weight, bias, inputs):
    return norm_activation(run_linear(inputs * 2, weight), bias, bias, 0.2).square().sum()


@pytest.mark.parametrize(
    "function",
    [
        once,
        twice,
        with_another_operation,
        twice_with_another_operation,
        normalized,
        shared_scale_and_shift,
    ],
)
def test_all_uses_of_a_weight_are_added_up(function, device, stream):
    leaves = [
        normal(2, 5, 5, seed=1, device=device),
        normal(2, 5, seed=2, device=device),
        normal(2, 7, 5, seed=3, device=device),
    ]
    with kernels_everywhere():
        expected = torch.autograd.grad(function(*leaves), leaves)
        with deferred_gradients(stream) as deferred:
            incomplete = torch.autograd.grad(function(*leaves), leaves, allow_unused=True)
    found = deferred.add_to(leaves, incomplete)
    assert incomplete[0] is None or not torch.equal(incomplete[0], expected[0])
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
