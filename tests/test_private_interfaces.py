"""Without the private interfaces of other packages, the fallbacks give the same results."""

import builtins
import ctypes
import subprocess
import sys
import types

import pytest
import torch

from ipcae.ops import concrete_select, dispatch, run_linear
from ipcae.ops.run_linear import matrix_product
from ipcae.runs import Stream
from ipcae.training import adam
from ipcae.training.adam import adam_in_place
from ipcae.training.threads import denormals
from ipcae.training.tracing import flat
from tests.random_tensors import normal


def changed_signature(*arguments):
    raise TypeError("takes other arguments")


def not_on_this_device(*arguments, **options):
    raise NotImplementedError("no kernel for this device")


def adam_steps(n_runs=3, dtype=torch.float32, weight_decay=0.1):
    """Take five steps, every run's slice with a learning rate of its own."""
    tensors = [normal(3, 7, 5).to(dtype)[:n_runs] for _ in range(3)]
    params, firsts, seconds = tensors[0], torch.zeros_like(tensors[1]), torch.zeros_like(tensors[2])
    for step in range(1, 6):
        gradient = normal(3, 7, 5, seed=step).to(dtype)
        for run in range(n_runs):
            own = [[t[run : run + 1]] for t in (params, gradient, firsts, seconds)]
            adam_in_place(*own, torch.tensor(float(step)), 0.1 / (run + 1), weight_decay)
    return params, firsts, seconds


@pytest.fixture(params=["missing", "other arguments", "other device"])
def no_fused_adam(request, monkeypatch):
    if request.param == "missing":
        monkeypatch.delattr(torch, "_fused_adam_")
    else:
        replacement = (
            changed_signature if request.param == "other arguments" else not_on_this_device
        )
        monkeypatch.setattr(torch, "_fused_adam_", replacement)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_adam_in_public_operations_is_the_fused_adam(monkeypatch, dtype, weight_decay):
    expected = adam_steps(dtype=dtype, weight_decay=weight_decay)
    monkeypatch.delattr(torch, "_fused_adam_")
    for one, other in zip(adam_steps(3, dtype, weight_decay), expected, strict=True):
        tolerance = 1e-6 if dtype == torch.float32 else 1e-14
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("no_fused_adam")
def test_without_the_fused_adam_a_run_alone_has_the_same_bits():
    for together, alone in zip(adam_steps(3), adam_steps(1), strict=True):
        assert torch.equal(together[0], alone[0])


def test_the_fused_adam_is_used_where_there_is_one(monkeypatch):
    monkeypatch.setattr(adam, "_plain_adam", changed_signature)
    adam_steps()


def selected(draws, hard):
    logits = normal(2, 3, 9).requires_grad_()
    rows = normal(6, 9, seed=1).requires_grad_()
    out = concrete_select(
        logits, rows, 0.7, draws=draws, stream=Stream([1, 2], 0), straight_through=hard
    )
    return out, *torch.autograd.grad(out.square().sum(), [logits, rows])


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("draws", ["row", 1, 4])
def test_a_selection_without_the_private_softmax_gradient_is_the_same(draws, hard, monkeypatch):
    expected = selected(draws, hard)
    monkeypatch.setattr(torch.ops.aten, "_softmax_backward_data", object())
    for one, other in zip(selected(draws, hard), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_the_package_can_be_imported_without_any_of_them():
    code = """
import torch, torch.fx, types
del torch._fused_adam_
torch.ops.aten = types.SimpleNamespace()
import ipcae
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("problem", ["missing", "other arguments", "other device"])
def test_without_onednn_large_matrices_are_multiplied_as_others(problem, monkeypatch):
    left, right = normal(128, 161), normal(161, 64, seed=1)
    replacements = {"other arguments": changed_signature, "other device": not_on_this_device}
    operation = types.SimpleNamespace()
    if problem != "missing":
        operation._linear_pointwise = replacements[problem]
    monkeypatch.setattr(torch.ops, "mkldnn", operation)
    monkeypatch.setattr(matrix_product, "_is_amd", lambda: True)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    matrix_product.onednn_is_faster.cache_clear()
    try:
        assert torch.equal(matrix_product.matrix_product(left, right), left @ right)
    finally:
        matrix_product.onednn_is_faster.cache_clear()


def step(weight, rows):
    loss = torch.nn.functional.layer_norm(rows @ weight.T, (3,)).square().mean()
    return [loss.detach(), *torch.autograd.grad(loss, [weight])]


@pytest.mark.parametrize("missing", [{"_name"}, {"_op"}, {"is_view"}, {"_name", "_op", "is_view"}])
def test_a_flat_function_does_without_the_attributes_of_operations(missing, monkeypatch):
    def without(thing, name, *default):
        return default[0] if name in missing else builtins.getattr(thing, name, *default)

    monkeypatch.setattr(flat, "getattr", without, raising=False)
    weight, rows, other = normal(3, 2).requires_grad_(), normal(4, 2), normal(4, 2, seed=1)
    function = flat.flat_function(step, [weight], [rows])
    with torch.no_grad():
        found = function(other)
    assert all(map(torch.equal, found, step(weight, other)))


def missing_library(path):
    raise OSError(path)


@pytest.fixture
def fresh_openmp():
    denormals._openmp.cache_clear()
    yield
    denormals._openmp.cache_clear()


@pytest.mark.parametrize("library", [missing_library, lambda path: object()])
@pytest.mark.usefixtures("two_threads", "fresh_openmp")
def test_without_openmp_the_calling_thread_flushes_denormal_numbers(library, monkeypatch):
    info = {"prefix": "libgomp", "filepath": "libgomp.so"}
    monkeypatch.setattr(denormals, "threadpool_info", lambda: [info, {"prefix": "libopenblas"}])
    monkeypatch.setattr(ctypes, "CDLL", library)
    assert denormals._openmp() == []
    with denormals.flushed_denormals():
        assert torch.tensor(1e-39) * 0.5 == 0
    assert torch.tensor(1e-39) * 0.5 != 0


def test_without_the_private_look_at_function_transforms_layers_compute_the_same(monkeypatch):
    inputs, weight = normal(1, 3, 4), normal(1, 5, 4, seed=1)
    expected = run_linear(inputs, weight)
    # PyTorch itself needs what it has.
    without = types.SimpleNamespace(compiler=torch.compiler, _C=None, float32=torch.float32)
    monkeypatch.setattr(dispatch, "torch", without)
    assert torch.equal(run_linear(inputs, weight), expected)
