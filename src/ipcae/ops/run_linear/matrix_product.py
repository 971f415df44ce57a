"""Products of two matrices on the CPU.

PyTorch multiplies float32 matrices with Intel's MKL, which uses AVX-512 on Intel's processors only.
On those of AMD, oneDNN, which is also part of PyTorch, takes half the time for large products, and
both libraries are slow if the result has fewer columns than a vector register
(``benchmarks/products_cpu.py``).
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

_SMALL = 5 * 2**18  # multiply-adds; up to here, oneDNN's overhead is larger than what it saves
_VECTOR = 16  # float32 numbers in a vector register
# Numbers in the left matrices for which a narrow product is transposed: more if the right matrix is
# a transposed one, such as a weight, because MKL is faster then.
_MANY, _MANY_BY_TRANSPOSED = 2**14, 2**16


def matrix_product(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices; the algorithm depends on their shapes and on the processor.

    Shape: left (..., M, I); right (..., I, N) -> (..., M, N).

    >>> matrix_product(torch.ones(1, 2), torch.ones(2, 1))
    tensor([[2.]])
    """
    multiply = faster_product(left, right)
    if multiply is None:
        return torch.matmul(left, right, out=out)
    product = multiply(left, right)
    return product if out is None else out.copy_(product)


def faster_product(left: Tensor, right: Tensor) -> Callable[[Tensor, Tensor], Tensor] | None:
    """Return what multiplies these matrices faster than PyTorch, or None if nothing does."""
    ndim = left.ndim
    if ndim not in (2, 3) or right.ndim != ndim or left.dtype != torch.float32:
        return None
    (n_rows, n_inner), n_columns = left.shape[-2:], right.shape[-1]
    if n_rows == 1 or n_inner == 1 or n_columns == 1 or not onednn_is_faster():
        return None
    many = _MANY_BY_TRANSPOSED if right.stride(-2) == 1 else _MANY
    if n_columns < _VECTOR <= n_rows and left.numel() >= many:
        return transposed_product
    return onednn_product if ndim == 2 and n_rows * n_inner * n_columns > _SMALL else None


def transposed_product(left: Tensor, right: Tensor) -> Tensor:
    """Multiply two matrices by way of the transposed product, which has longer rows."""
    by_mkl = left.ndim == 3 or left.numel() * right.shape[-1] <= _SMALL
    multiply = torch.matmul if by_mkl else onednn_product
    return multiply(right.mT, left.mT).mT.contiguous()


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
    """Return whether the operating system reports a processor of AMD."""
    try:
        with open("/proc/cpuinfo") as file:
            return "AuthenticAMD" in file.read(1000)
    except OSError:
        return "AuthenticAMD" in platform.processor()
