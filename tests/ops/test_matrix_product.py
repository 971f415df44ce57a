"""Products of matrices: which library multiplies them, and the same bits everywhere."""

import pytest
import torch

from ipcae.ops import run_linear
from ipcae.ops.run_linear import matrix_product as module
from ipcae.ops.run_linear.matrix_product import (
    faster_product,
    matrix_product,
    onednn_is_faster,
    onednn_product,
    transposed_product,
)
from tests.random_tensors import normal

SHAPES = [(16, 512, 512), (128, 10, 512), (128, 512, 10), (77, 300, 33), (3, 512, 513)]
has_onednn = pytest.mark.skipif(
    not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="PyTorch was built without oneDNN"
)


def three_products(shape, multiply):
    """Return the outputs of a linear layer, and both gradients, as they lie in memory."""
    n_rows, n_inputs, n_outputs = shape
    inputs, weight = normal(n_rows, n_inputs), normal(n_outputs, n_inputs, seed=1)
    upstream = normal(n_rows, n_outputs, seed=2)
    pairs = (inputs, weight.t()), (upstream, weight), (upstream.t(), inputs)
    return [multiply(left, right) for left, right in pairs]


def misaligned(matrix):
    flat = torch.empty(matrix.numel() + 3)[3:]
    return flat.as_strided(matrix.shape, matrix.stride()).copy_(matrix)


@pytest.fixture
def fresh():
    onednn_is_faster.cache_clear()
    yield
    onednn_is_faster.cache_clear()


@pytest.fixture
def amd(fresh, monkeypatch):
    """A processor of AMD with AVX-512."""
    monkeypatch.setattr(module, "_is_amd", lambda: True)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")


@has_onednn
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_onednn_multiplies_as_accurately(shape):
    for found, expected in zip(
        three_products(shape, onednn_product),
        three_products(shape, lambda a, b: a.double() @ b.double()),
        strict=True,
    ):
        torch.testing.assert_close(found, expected.float(), rtol=1e-4, atol=1e-4)


@has_onednn
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_bits_of_onednn_depend_neither_on_addresses_nor_on_threads(shape, two_threads):
    together = three_products(shape, onednn_product)
    torch.set_num_threads(1)
    alone = three_products(shape, lambda a, b: onednn_product(misaligned(a), misaligned(b)))
    assert all(map(torch.equal, together, alone))


@has_onednn
@pytest.mark.parametrize("by_columns", [False, True])
def test_the_bits_of_onednn_do_not_depend_on_gaps_in_memory(by_columns):
    left, right = normal(64, 300), normal(300, 500, seed=1)
    apart = torch.stack([right, right], 1)[:, 0]
    if by_columns:
        right = right.t().contiguous().t()
        apart = torch.stack([right.t()] * 2, 1)[:, 0].t()
    assert not apart.is_contiguous()
    assert not apart.t().is_contiguous()
    assert torch.equal(onednn_product(left, apart), onednn_product(left, right))


@has_onednn
@pytest.mark.usefixtures("amd")
@pytest.mark.parametrize(
    ("left", "right", "by_onednn"),
    [
        (normal(128, 161), normal(161, 64), True),
        (normal(128, 160), normal(160, 64), False),
        (normal(1, 1024), normal(1024, 1024), False),
        (normal(2048, 1), normal(1, 2048), False),
        (normal(128, 161).double(), normal(161, 64).double(), False),
        (normal(2, 128, 161), normal(2, 161, 64), False),
    ],
    ids=["large", "small", "a row", "an outer product", "float64", "several"],
)
def test_large_products_of_float32_matrices_are_left_to_onednn(left, right, by_onednn):
    assert (faster_product(left, right) is onednn_product) == by_onednn
    torch.testing.assert_close(matrix_product(left, right), left @ right)


@has_onednn
@pytest.mark.usefixtures("amd")
def test_a_product_is_written_where_it_is_wanted():
    out = torch.full((128, 64), torch.nan)
    left, right = normal(128, 161), normal(161, 64, seed=1)
    assert matrix_product(left, right, out=out) is out
    assert torch.equal(out, onednn_product(left, right))


@has_onednn
@pytest.mark.usefixtures("amd")
@pytest.mark.parametrize(
    ("left", "right", "narrow"),
    [
        (normal(128, 128), normal(128, 15), True),
        (normal(2000, 512), normal(512, 15), True),
        (normal(128, 512), normal(15, 512).t(), True),
        (normal(128, 511), normal(15, 511).t(), False),
        (normal(128, 128), normal(128, 16), False),
        (normal(128, 127), normal(127, 15), False),
        (normal(15, 2000), normal(2000, 14), False),
        (normal(20_000, 1), normal(1, 15), False),
        (normal(128, 128), normal(128, 1), False),
        (normal(128, 128).double(), normal(128, 15).double(), False),
        (normal(2, 128, 128), normal(2, 128, 15), True),
        (normal(8, 16, 512), normal(8, 10, 512).mT, True),
        (normal(8, 16, 511), normal(8, 10, 511).mT, False),
        (normal(8, 15, 1000), normal(8, 10, 1000).mT, False),
        (normal(8, 64, 200), normal(8, 200, 64), False),
        (normal(2, 8, 16, 512), normal(2, 8, 512, 10), False),
    ],
    ids=[
        *(
            "narrow",
            "large",
            "transposed",
            "small and transposed",
            "as wide as a register",
            "small",
            "few rows",
        ),
        *("an outer product", "a column", "float64", "several", "several transposed"),
        *("several small", "several with few rows", "several wide", "four axes"),
    ],
)
def test_narrow_products_are_computed_transposed(left, right, narrow):
    assert (faster_product(left, right) is transposed_product) == narrow
    found = matrix_product(left, right)
    torch.testing.assert_close(found, left @ right, rtol=1e-4, atol=1e-4)
    assert found.is_contiguous()
    out = torch.full_like(found, torch.nan)
    assert matrix_product(left, right, out=out) is out
    assert torch.equal(out, found)


@has_onednn
@pytest.mark.usefixtures("amd")
@pytest.mark.parametrize("shape", [(128, 161, 70), (128, 150, 10), (128, 10, 150)], ids=str)
def test_layers_have_the_same_bits_in_a_batch_and_alone(shape):
    n_rows, n_inputs, n_outputs = shape
    inputs, weight = normal(3, n_rows, n_inputs), normal(3, n_outputs, n_inputs, seed=1)
    upstream = normal(3, n_rows, n_outputs, seed=2)

    def layer(runs):
        own = [tensor[runs].clone().requires_grad_() for tensor in (inputs, weight)]
        outputs = run_linear(*own)
        return [outputs, *torch.autograd.grad(outputs, own, upstream[runs])]

    together = layer(slice(None))
    for run in range(3):
        for all_runs, alone in zip(together, layer(slice(run, run + 1)), strict=True):
            assert torch.equal(all_runs[run], alone[0])


@has_onednn
@pytest.mark.usefixtures("amd")
def test_several_draws_have_the_same_bits_in_a_batch_and_alone():
    rows, weight = normal(8, 16, 521), normal(3, 8, 10, 521, seed=1)
    together = run_linear(rows, weight)
    for run in range(3):
        assert torch.equal(together[run], run_linear(rows, weight[run : run + 1].clone())[0])


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("capability", "is_amd"), [("AVX2", True), ("AVX512", False)], ids=["no AVX-512", "not AMD"]
)
def test_mkl_is_used_where_it_is_as_fast(capability, is_amd, monkeypatch):
    monkeypatch.setattr(module, "_is_amd", lambda: is_amd)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert not onednn_is_faster()


@pytest.mark.parametrize("amd", [True, False])
def test_the_maker_of_the_processor_is_asked_of_python_if_there_is_no_list(amd, monkeypatch):
    def missing(path):
        raise OSError(path)

    monkeypatch.setattr("builtins.open", missing)
    family = "AMD64 Family 26 Model 2 Stepping 1, "
    maker = family + ("AuthenticAMD" if amd else "GenuineIntel")
    monkeypatch.setattr(module.platform, "processor", lambda: maker)
    assert module._is_amd() == amd
