"""A function as a flat list of its operations."""

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
    flat = flat_function(lambda x: [x.exp().exp().exp().exp()], torch.ones(2))
    alive, counts = weakref.WeakSet(), []

    def noting(operation):
        def noted(*given):
            out = operation(*given)
            alive.add(out)
            counts.append(len(alive))
            return out

        return noted

    constants = flat.__globals__
    constants.update({n: noting(c) for n, c in constants.items() if n[0] == "c" and callable(c)})
    flat(torch.ones(2))
    assert counts == [1, 2, 2, 2]
