"""Compiling kernels in parallel: none is launched, no error is lost or left behind."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from ipcae.kernel_launch import compiling, launch
from ipcae.ops import concrete_select, run_linear
from ipcae.runs import Stream
from ipcae.runs.bits_triton import fill_bits

pytestmark = pytest.mark.usefixtures("kernels")


class Broken:
    """A kernel that cannot be compiled."""

    def warmup(self, *arguments, grid):
        raise ValueError("no such instruction")


class Counting:
    """A kernel that counts how often it is compiled, and where."""

    def __init__(self):
        self.compiled = []

    def warmup(self, *arguments, grid):
        self.compiled.append(grid)


def untouched(device):
    return torch.full((1, 8), -7, dtype=torch.int32, device=device)


def fill(out):
    fill_bits(out, Stream([1], 0, out.device).next_counter())


def test_nothing_is_launched_while_compiling(device):
    out = untouched(device)
    with compiling():
        fill(out)
    assert (out == -7).all()
    fill(out)
    assert not (out == -7).any()


def test_kernels_of_other_threads_run_while_one_compiles(device):
    mine, theirs = untouched(device), untouched(device)
    with ThreadPoolExecutor(1) as other, compiling():
        other.submit(fill, theirs).result()
        fill(mine)
    assert (mine == -7).all()
    assert not (theirs == -7).any()


def test_two_threads_compile_independently():
    kernels, both_inside = [Counting(), Counting()], threading.Barrier(2, timeout=30)

    def compile_alone(kernel, n_launches):
        with compiling():
            both_inside.wait()
            for i in range(n_launches):
                launch(kernel, (i,), torch.zeros(1))
        return list(kernel.compiled)

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(compile_alone, kernels, (2, 3)))
    assert [len(grids) for grids in found] == [2, 3]


def test_a_thread_that_starts_to_compile_does_not_stop_the_backward_pass_of_another(device):
    inputs = torch.ones(1, 2, 3, device=device, requires_grad=True)
    weight = torch.full((1, 4, 3), 2.0, device=device)

    def gradient():
        outputs = run_linear(inputs, weight).sum()
        with ThreadPoolExecutor(1) as other:
            begun, ended = threading.Event(), threading.Event()
            other.submit(compile_until, begun, ended)
            begun.wait(30)
            try:
                return torch.autograd.grad(outputs, inputs)[0]
            finally:
                ended.set()

    def compile_until(begun, ended):
        with compiling():
            begun.set()
            ended.wait(30)

    assert torch.equal(gradient(), torch.full_like(inputs, 8.0))


class LaunchBackward(torch.autograd.Function):
    """Launch a kernel in the backward pass alone."""

    @staticmethod
    def forward(ctx, inputs, kernel):
        ctx.kernel = kernel
        return inputs.clone()

    @staticmethod
    def backward(ctx, grad):
        launch(ctx.kernel, (1,), grad)
        return grad, None


def test_kernels_of_the_backward_pass_are_compiled_too(device):
    kernel, inputs = Counting(), torch.ones(3, device=device, requires_grad=True)
    with compiling():
        torch.autograd.grad(LaunchBackward.apply(inputs, kernel).sum(), inputs)
    assert kernel.compiled == [(1,)]


def test_the_backward_pass_of_a_compilation_runs_in_the_calling_thread(device):
    threads, inputs = [], torch.ones(3, device=device, requires_grad=True)
    outputs = inputs * 2
    outputs.register_hook(lambda grad: threads.append(threading.get_ident()))
    with compiling():
        assert not torch.autograd.is_multithreading_enabled()
        torch.autograd.grad(outputs.sum(), inputs)
    assert threads == [threading.get_ident()]
    assert torch.autograd.is_multithreading_enabled()


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
def test_nothing_is_left_behind_after_an_error(fail, error, device):
    with pytest.raises(error):
        fail()
    assert torch.autograd.is_multithreading_enabled()
    out = untouched(device)
    fill(out)
    assert not (out == -7).any()
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
