"""A function as a flat list of its operations."""

import subprocess
import sys
import weakref

import pytest
import torch

from ipcae.training.tracing.flat import flat_function


def test_values_and_gradients():
    weight, rows = torch.randn(3, 2, requires_grad=True), torch.randn(4, 2)

    def function(weight, rows):
        loss = torch.nn.functional.layer_norm(rows @ weight.T, (3,)).square().mean()
        return [loss.detach(), *torch.autograd.grad(loss, [weight])]

    flat = flat_function(function, [weight], [rows])
    other = torch.randn(4, 2)
    with torch.no_grad():
        found = flat(other)
    for one, expected in zip(found, function(weight, other), strict=True):
        assert torch.equal(one, expected)


def test_other_tensors_are_read_where_they_are():
    factor = torch.tensor(2.0)
    flat = flat_function(lambda x: [x * factor], [], [torch.ones(2)])
    factor.fill_(5.0)
    assert flat(torch.ones(2))[0].tolist() == [5.0, 5.0]


def test_a_tensor_may_be_given_twice():
    same = torch.ones(2)
    flat = flat_function(lambda x, y: [x + y], [], [same, same])
    assert flat(torch.ones(2), torch.ones(2))[0].tolist() == [2.0, 2.0]


def test_tracing_holds_no_tensor_longer_than_the_function_does():
    def function(x):
        before = x.exp()
        reference = weakref.ref(before)
        after = before.exp()
        del before
        assert reference() is None
        return [after + 1]

    flat = flat_function(function, [], [torch.zeros(2)])
    assert torch.equal(flat(torch.ones(2))[0], torch.ones(2).exp().exp() + 1)


def test_operations_without_use_are_left_out():
    flat = flat_function(lambda x: [x.exp(), x.sin()][:1], [], [torch.ones(2)])
    assert len(operations(flat)) == 1


def test_a_number_from_a_tensor_cannot_be_traced():
    with pytest.raises(RuntimeError, match="returns numbers"):
        flat_function(lambda x: [x * x.sum().item()], [], [torch.ones(2)])


def test_the_compiler_of_pytorch_is_not_imported():
    code = (
        "import sys, torch; from ipcae.training.tracing.flat import flat_function; "
        "x = torch.ones(2, requires_grad=True); "
        "flat_function(lambda x: torch.autograd.grad(x.exp().sum(), x), [], [x]); "
        "assert 'torch._dynamo' not in sys.modules and 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_operations_in_place_are_kept():
    flat = flat_function(lambda x: [x.clone().add_(1).mul_(3)], [], [torch.ones(2)])
    assert flat(torch.zeros(2))[0].tolist() == [3.0, 3.0]


def test_a_tensor_is_forgotten_after_its_last_use():
    flat = flat_function(lambda x: [x.exp().exp().exp().exp()], [], [torch.ones(2)])
    alive, counts = weakref.WeakSet(), []

    def noting(operation):
        def noted(*given):
            out = operation(*given)
            alive.add(out)
            counts.append(len(alive))
            return out

        return noted

    constants = flat.__globals__
    constants.update(
        {n: noting(c) for n, c in constants.items() if n.startswith("constant") and callable(c)}
    )
    flat(torch.ones(2))
    assert counts == [1, 2, 2, 2]


def operations(flat):
    return [value for name, value in flat.__globals__.items() if name.startswith("constant")]


def test_views_of_kept_tensors_are_taken_once_and_follow_them():
    weight = torch.ones(3, 2)
    flat = flat_function(lambda weight, x: [x @ weight.T[1:]], [weight], [torch.ones(4, 1)])
    weight.fill_(2.0)
    assert flat(torch.ones(1, 1)).pop().tolist() == [[2.0, 2.0, 2.0]]
    assert operations(flat) == [torch.Tensor.mm]


def test_views_are_merged_and_dropped_where_they_lead_back():
    def function(x):
        there = x.exp().unsqueeze(0)
        return [there.squeeze(0).detach() * there.transpose(0, 1) * there.transpose(0, 1)]

    flat = flat_function(function, [], [torch.ones(2)])
    x = torch.tensor([0.5, 2.0])
    assert torch.equal(flat(x)[0], function(x)[0])
    methods = [value for value in operations(flat) if callable(value)]
    expected = [torch.ops.aten.exp.default._op, *(getattr(torch.Tensor, name) for name in NAMES)]
    assert methods == expected


NAMES = ("as_strided", "mul", "mul")


def test_a_view_of_another_part_of_the_memory_is_merged():
    def function(x):
        return [x.exp().unsqueeze(0)[:, 1:].transpose(0, 1)[::2]]

    flat = flat_function(function, [], [torch.ones(6)])
    x = torch.arange(6.0)
    assert torch.equal(flat(x)[0], function(x)[0])
    assert [value for value in operations(flat) if callable(value)][1:] == [torch.Tensor.as_strided]


def test_a_view_as_another_type_is_kept():
    def function(x):
        return [x.exp().unsqueeze(1).view(torch.int32).squeeze(1) >> 1]

    flat = flat_function(function, [], [torch.ones(3)])
    x = torch.arange(3.0)
    assert torch.equal(flat(x)[0], function(x)[0])


def test_an_argument_may_lie_anywhere_in_its_memory():
    def function(x):
        return [x.unsqueeze(0).transpose(1, 2) * x[1:].unsqueeze(0)[:, 0]]

    flat = flat_function(function, [], [torch.ones(3, 3)])
    x = torch.randn(5, 3)[2:]
    assert torch.equal(flat(x)[0], function(x)[0])


def test_a_change_through_a_merged_view_is_a_change_of_the_tensor():
    def function(x):
        values = x.exp()
        values.unsqueeze(0).transpose(0, 1)[1:].add_(1.0)
        return [values * 2]

    flat = flat_function(function, [], [torch.ones(3)])
    x = torch.arange(3.0)
    assert torch.equal(flat(x)[0], function(x)[0])


def test_a_shape_that_changes_in_place_cannot_be_traced():
    with pytest.raises(RuntimeError, match="in place"):
        flat_function(lambda x: [x.exp().unsqueeze_(0)], [], [torch.ones(2)])


def test_what_depends_on_shapes_only_is_computed_once():
    def function(x):
        y = x.exp()
        return torch.autograd.grad(y.mean(), y)[0] * y, y

    x = torch.randn(3, requires_grad=True)
    flat = flat_function(function, [], [x])
    assert [value for value in operations(flat) if callable(value)] == [
        torch.ops.aten.exp.default._op,
        torch.Tensor.mul,
    ]
    other = torch.randn(3, requires_grad=True)
    for _ in range(2):
        assert torch.equal(flat(other)[0], function(other)[0])


def test_a_constant_that_is_changed_in_place_is_new_in_every_call():
    def function(x):
        zeros = torch.zeros_like(x)
        zeros.unsqueeze(0).add_(x)
        return [zeros * 1]

    flat = flat_function(function, [], [torch.ones(2)])
    for _ in range(2):
        assert flat(torch.ones(2))[0].tolist() == [1.0, 1.0]


def test_a_constant_that_is_returned_is_new_in_every_call():
    flat = flat_function(lambda x: [torch.ones_like(x)], [], [torch.ones(2)])
    flat(torch.ones(2))[0].add_(1)
    assert flat(torch.ones(2))[0].tolist() == [1.0, 1.0]


def test_random_numbers_are_no_constants():
    flat = flat_function(lambda x: [torch.ones_like(x).bernoulli(0.5)], [], [torch.ones(64)])
    assert not torch.equal(flat(torch.ones(64))[0], flat(torch.ones(64))[0])
