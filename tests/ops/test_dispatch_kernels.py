"""Which operations go to the kernels."""

import pytest
import torch

from ipcae import optional
from ipcae.ops import (
    concrete_select,
    cross_entropy_rows,
    dispatch,
    gjsd,
    norm_activation,
    run_linear,
    squared_error_rows,
)
from ipcae.ops.dispatch import kernels_everywhere, kernels_for
from ipcae.runs import Stream

OPERATIONS = {
    "concrete_select": lambda x: concrete_select(x, x[0], 0.5, stream=Stream([1, 2], 0)),
    "run_linear": lambda x: run_linear(x, x),
    "norm_activation": lambda x: norm_activation(x, x[:, 0], x[:, 1], 0.2),
    "squared_error_rows": lambda x: squared_error_rows(x, x[1]),
    "cross_entropy_rows": lambda x: cross_entropy_rows(x, torch.tensor([0, 1, 2])),
    "gjsd": lambda x: gjsd(x),
}
KERNELS = {
    "concrete_select": "_SelectBackward",
    "run_linear": "_LinearBackward",
    "norm_activation": "_NormActivationBackward",
    "squared_error_rows": "_RowLossesBackward",
    "cross_entropy_rows": "_RowLossesBackward",
    "gjsd": "_GjsdBackward",
}


def example(dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, 3, 5, generator=generator, dtype=dtype).requires_grad_()


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs Triton's interpreter")
@pytest.mark.parametrize("name", OPERATIONS)
def test_the_cpu_uses_kernels_where_it_is_told_to(name):
    operation, kernel = OPERATIONS[name], KERNELS[name]
    assert kernel not in operation(example()).grad_fn.name()
    with kernels_everywhere():
        assert kernel in operation(example()).grad_fn.name()
    assert kernel not in operation(example()).grad_fn.name()


@pytest.mark.parametrize("name", OPERATIONS)
def test_double_precision_never_uses_kernels(name):
    operation, kernel = OPERATIONS[name], KERNELS[name]
    with kernels_everywhere():
        assert kernel not in operation(example(torch.float64)).grad_fn.name()


@pytest.mark.parametrize("name", OPERATIONS)
def test_without_triton_the_references_are_used(name, monkeypatch):
    expected = OPERATIONS[name](example())
    monkeypatch.setattr(dispatch, "has_triton", lambda: False)
    with kernels_everywhere():
        assert torch.equal(OPERATIONS[name](example()), expected)


def test_losses_of_very_wide_rows_use_the_reference():
    outputs = torch.zeros(1, 1, 8193, requires_grad=True)
    with kernels_everywhere():
        found = squared_error_rows(outputs, torch.ones(1, 8193))
    assert "_RowLosses" not in found.grad_fn.name()
    assert found.item() == 1.0


def fail_inside():
    with kernels_everywhere():
        raise ValueError("inside")


def test_the_choice_is_undone_after_an_error():
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert not kernels_for(torch.zeros(1))


@pytest.fixture
def forgotten():
    """Let Triton be looked for again, in the test and after it."""
    optional.has_triton.cache_clear()
    yield
    optional.has_triton.cache_clear()


def test_triton_is_looked_for_once(forgotten, monkeypatch):
    asked = []
    monkeypatch.setattr(optional, "find_spec", asked.append)
    assert not optional.has_triton()
    assert not optional.has_triton()
    assert asked == ["triton"]
