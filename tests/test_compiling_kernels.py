"""Compiling kernels side by side: none is started, no error is lost or left behind."""

import pytest
import torch

from ipcae import kernel_launch
from ipcae.kernel_launch import compiling, launch
from ipcae.ops import concrete_select
from ipcae.runs import Stream
from ipcae.runs.bits_triton import fill_bits

pytestmark = pytest.mark.usefixtures("kernels")


class Broken:
    """A kernel that cannot be compiled."""

    def warmup(self, *arguments, grid):
        raise ValueError("no such instruction")


def test_nothing_is_started_meanwhile(device):
    out = torch.full((1, 8), -7, dtype=torch.int32, device=device)
    with compiling():
        fill_bits(out, Stream([1], 0, device).place())
    assert (out == -7).all()
    fill_bits(out, Stream([1], 0, device).place())
    assert not (out == -7).any()


def compile_broken():
    with compiling():
        launch(Broken(), (1,), torch.zeros(1))


def fail_meanwhile():
    with compiling():
        launch(Broken(), (1,), torch.zeros(1))
        raise KeyError("the model's own")


def test_an_error_of_the_compiler_is_raised():
    with pytest.raises(ValueError, match="no such instruction"):
        compile_broken()


@pytest.mark.parametrize(
    ("fail", "error"), [(compile_broken, ValueError), (fail_meanwhile, KeyError)]
)
def test_nothing_is_left_behind_after_an_error(fail, error):
    with pytest.raises(error):
        fail()
    assert not kernel_launch._compiler
    with compiling():
        pass


@pytest.mark.parametrize("draws", ["row", 2])
def test_a_hard_selection_can_be_compiled_before_anything_is_chosen(draws, device):
    # What kernels would have written is undefined: read as feature numbers, it must be valid.
    logits = torch.zeros(1, 2, 9, device=device, requires_grad=True)
    rows = torch.zeros(4, 9, device=device, requires_grad=True)
    with compiling():
        selected = concrete_select(
            logits, rows, 1.0, draws=draws, stream=Stream([1], 0, device), straight_through=True
        )
        torch.autograd.grad(selected.sum(), [logits, rows])
    assert selected.shape == (1, 4, 2)
