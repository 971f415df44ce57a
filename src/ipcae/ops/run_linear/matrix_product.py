"""Products of two matrices on the CPU.

PyTorch multiplies float32 matrices with Intel's MKL, which uses AVX-512 on Intel's processors only.
On those of AMD, oneDNN, which is also part of PyTorch, takes half the time for large products
(``benchmarks/products_cpu.py``).
"""

from __future__ import annotations

import platform
from functools import cache

import torch
from torch import Tensor

_SMALL = 2**19  # multiply-adds; up to here, oneDNN's overhead is larger than what it saves


def matrix_product(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices; the algorithm depends on their shapes and on the processor.

    Shape: left (..., M, I); right (..., I, N) -> (..., M, N).

    >>> matrix_product(torch.ones(1, 2), torch.ones(2, 1))
    tensor([[2.]])
    """
    if not uses_onednn(left, right):
        return torch.matmul(left, right, out=out)
    product = onednn_product(left, right)
    return product if out is None else out.copy_(product)


def onednn_product(left: Tensor, right: Tensor) -> Tensor:
    """Multiply two matrices with oneDNN; the bits do not depend on addresses, gaps or threads."""
    return torch.ops.mkldnn._linear_pointwise(left, dense(right).t(), None, "none", [], "")


def dense(matrix: Tensor) -> Tensor:
    """Return the matrix in memory without gaps, by rows or columns as before.

    With gaps, such as in one run of a batch of inputs, oneDNN takes hundreds of times as long.
    """
    if matrix.stride(0) < matrix.stride(1):
        return matrix.t().contiguous().t()
    return matrix.contiguous()


def uses_onednn(left: Tensor, right: Tensor) -> bool:
    """Return whether these are large float32 matrices, which oneDNN multiplies faster."""
    if left.ndim != 2 or right.ndim != 2 or left.dtype != torch.float32:
        return False
    (n_rows, n_inner), n_columns = left.shape, right.shape[1]
    is_vector = min(n_rows, n_inner, n_columns) == 1
    is_small = n_rows * n_inner * n_columns <= _SMALL
    return not (is_vector or is_small) and onednn_is_faster()


@cache
def onednn_is_faster() -> bool:
    """Return whether oneDNN is available and uses instructions of the processor that MKL does not.

    Its operation is private to PyTorch, so it may be missing or have other arguments.
    """
    if torch.backends.cpu.get_cpu_capability() != "AVX512" or not _is_amd():
        return False
    example = torch.ones(2, 2)
    try:
        return torch.equal(onednn_product(example, example), 2 * example)
    except (AttributeError, TypeError, RuntimeError):
        return False


def _is_amd() -> bool:
    """Return whether the processor is AMD's, as far as the operating system tells."""
    try:
        with open("/proc/cpuinfo") as file:
            return "AuthenticAMD" in file.read(1000)
    except OSError:
        return "AuthenticAMD" in platform.processor()
