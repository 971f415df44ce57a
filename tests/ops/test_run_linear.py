"""The linear map of every run: values, gradients, and bit-identical results in any batch."""

import pytest
import torch

from ipcae.ops import run_linear

SHAPES = {
    "own inputs": ((3, 4, 5), (3, 2, 5)),
    "shared inputs": ((4, 5), (3, 2, 5)),
    "own groups": ((3, 2, 4, 5), (3, 2, 6, 5)),
    "shared groups": ((2, 4, 5), (3, 2, 6, 5)),
    "one run": ((1, 4, 5), (1, 2, 5)),
    "one of everything": ((1, 1, 1), (1, 1, 1)),
}


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys())
def operands(request, generator):
    """Return inputs and weight in float64, with gradients."""
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in request.param
    ]


def test_values_match_a_product_per_run(operands):
    inputs, weight = operands
    outputs = run_linear(inputs, weight)
    for run in range(len(weight)):
        own = inputs if inputs.ndim < weight.ndim else inputs[run]
        torch.testing.assert_close(outputs[run], own @ weight[run].transpose(-1, -2))


def test_gradients_match_finite_differences(operands):
    inputs, weight = operands
    assert torch.autograd.gradcheck(run_linear, (inputs, weight))


@pytest.mark.parametrize("inputs_shape", [(3, 4, 5), (4, 5)], ids=["own", "shared"])
def test_bias_is_added_and_has_its_gradient(inputs_shape, generator):
    operands = [
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in (inputs_shape, (3, 2, 5), (3, 2))
    ]
    expected = run_linear(*operands[:2]) + operands[2][:, None]
    torch.testing.assert_close(run_linear(*operands), expected)
    assert torch.autograd.gradcheck(run_linear, operands)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_bias_is_added_to_every_group_of_a_run(generator, n_groups):
    inputs = torch.randn(3, n_groups, 4, 5, generator=generator)
    weight = torch.randn(3, n_groups, 6, 5, generator=generator)
    bias = torch.randn(3, 6, generator=generator)
    expected = run_linear(inputs, weight) + bias[:, None, None]
    torch.testing.assert_close(run_linear(inputs, weight, bias), expected)


def test_gradients_are_computed_only_where_they_are_asked_for(generator):
    inputs = torch.randn(2, 3, 4, generator=generator, requires_grad=True)
    weight = torch.randn(2, 5, 4, generator=generator)
    run_linear(inputs, weight).sum().backward()
    assert inputs.grad is not None
    assert weight.grad is None


@pytest.fixture
def uninitialized_memory_is_nan():
    """Fill every ``torch.empty`` with NaN."""
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("uninitialized_memory_is_nan")
@pytest.mark.parametrize("size", [1, 3, 16, 33])
def test_every_element_of_the_product_is_written(size, generator):
    assert torch.empty(3).isnan().all()
    inputs = torch.randn(3, size, 7, generator=generator)
    assert torch.isfinite(run_linear(inputs, torch.randn(3, 5, 7, generator=generator))).all()


def contiguous(tensor):
    return tensor.clone()


def misaligned(tensor):
    """Copy the tensor to an address that is no multiple of 64 bytes."""
    flat = torch.empty(tensor.numel() + 3)[3:]
    return flat.copy_(tensor.flatten()).view(tensor.shape)


def run_axis_inside(tensor):
    """Copy the tensor as hard selection lays it out: rows first, then runs."""
    return tensor.transpose(0, 1).contiguous().transpose(0, 1)


def transposed(tensor):
    """Copy the tensor with its last two axes swapped in memory."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


# How the operands of many runs may lie in memory, and how those of one run then lie.
LAYOUTS = {
    "contiguous": (contiguous, contiguous),
    "misaligned": (misaligned, contiguous),
    "run axis inside": (run_axis_inside, contiguous),
    "transposed": (transposed, transposed),
}


@pytest.mark.parametrize("layouts", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("groups", [(), (3,)], ids=["3-D", "4-D"])
@pytest.mark.parametrize("shared", [False, True], ids=["own inputs", "shared inputs"])
def test_batched_equals_alone_at_odd_sizes(layouts, groups, shared, generator):
    among, alone = layouts
    n_runs = 5
    sizes = torch.randint(1, 80, (12, 3), generator=generator).tolist()
    for size in [*sizes, [1, 200, 1], [128, 33, 201]]:
        n_rows, n_inputs, n_outputs = size
        inputs = torch.randn(n_runs, *groups, n_rows, n_inputs, generator=generator)
        weight = torch.randn(n_runs, *groups, n_outputs, n_inputs, generator=generator)
        upstream = torch.randn(n_runs, *groups, n_rows, n_outputs, generator=generator)
        inputs = inputs[0] if shared else among(inputs)
        together = with_gradients(inputs, among(weight), among(upstream))
        for run in range(n_runs):
            own = inputs if shared else alone(inputs[run : run + 1])
            by_itself = with_gradients(
                own, alone(weight[run : run + 1]), alone(upstream[run : run + 1])
            )
            # The gradient of shared inputs is a sum over the runs: not one run's.
            for part in range(1 if shared else 0, 3):
                assert torch.equal(together[part][run], by_itself[part][0]), (size, part)


def with_gradients(inputs, weight, upstream):
    """Return the gradient of the inputs, the outputs, and the gradient of the weight."""
    inputs, weight = inputs.detach().requires_grad_(), weight.detach().requires_grad_()
    outputs = run_linear(inputs, weight)
    grad_inputs, grad_weight = torch.autograd.grad(outputs, [inputs, weight], upstream)
    return grad_inputs, outputs.detach(), grad_weight
