"""A function as a flat list of its operations."""

import gc
import weakref

import torch

from ipcae.training.flat import flat_function


def test_values_and_gradients():
    weight, rows = torch.randn(3, 2, requires_grad=True), torch.randn(4, 2)

    def function(weight, rows):
        loss = torch.nn.functional.layer_norm(rows @ weight.T, (3,)).square().mean()
        return [loss.detach(), *torch.autograd.grad(loss, [weight])]

    flat = flat_function(function, weight, rows)
    other = torch.randn(4, 2)
    with torch.no_grad():
        found = flat(weight, other)
    for one, expected in zip(found, function(weight, other), strict=True):
        assert torch.equal(one, expected)


def test_other_tensors_are_read_where_they_are():
    factor = torch.tensor(2.0)
    flat = flat_function(lambda x: [x * factor], torch.ones(2))
    factor.fill_(5.0)
    assert flat(torch.ones(2))[0].tolist() == [5.0, 5.0]


def test_operations_in_place_are_kept():
    flat = flat_function(lambda x: [x.clone().add_(1).mul_(3)], torch.ones(2))
    assert flat(torch.zeros(2))[0].tolist() == [3.0, 3.0]


def test_a_tensor_is_forgotten_after_its_last_use():
    alive = []

    def watched(x):
        alive.append(sum(isinstance(o, torch.Tensor) for o in gc.get_objects()))
        return x.exp()

    flat = flat_function(lambda x: [x.exp().exp().exp().exp()], torch.ones(2))
    x = torch.ones(2)
    seen = weakref.WeakSet()
    constants = flat.__globals__
    for name, value in list(constants.items()):
        if callable(value) and name.startswith("c"):

            def noting(*given, call=value):
                out = call(*given)
                seen.add(out)
                alive.append(len(seen))
                return out

            constants[name] = noting
    flat(x)
    assert alive == [1, 2, 2, 2]
