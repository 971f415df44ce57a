"""Products of two matrices on the CPU.

PyTorch multiplies float32 matrices with Intel's MKL, which uses AVX-512 on Intel's processors only.
On those of AMD, oneDNN, which is also part of PyTorch, takes half the time for large products, and
both libraries are slow if the result has fewer columns than a vector register
(``benchmarks/products_cpu.py``).
"""

from __future__ import annotations

import platform
from functools import cache

import torch
from torch import Tensor

_SMALL = 5 * 2**18  # multiply-adds; up to here, oneDNN's overhead is larger than what it saves
_VECTOR = 16  # float32 numbers in a vector register
# Numbers in the left matrix for which a narrow product is transposed: more if the right matrix is
# a transposed one, such as a weight, because MKL is faster then.
_MANY, _MANY_BY_TRANSPOSED = 2**14, 2**16


def matrix_product(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices; the algorithm depends on their shapes and on the processor.

    Shape: left (..., M, I); right (..., I, N) -> (..., M, N).

    >>> matrix_product(torch.ones(1, 2), torch.ones(2, 1))
    tensor([[2.]])
    """
    if is_narrow(left, right):
        product = matrix_product(right.t(), left.t()).t()
        return product.contiguous() if out is None else out.copy_(product)
    if uses_onednn(left, right):
        product = onednn_product(left, right)
        return product if out is None else out.copy_(product)
    return torch.matmul(left, right, out=out)


def onednn_product(left: Tensor, right: Tensor) -> Tensor:
    """Multiply two matrices with oneDNN; the bits do not depend on addresses or threads."""
    return torch.ops.mkldnn._linear_pointwise(left, right.t(), None, "none", [], "")


def is_narrow(left: Tensor, right: Tensor) -> bool:
    """Return whether the transposed product, which has longer rows, is faster."""
    if not _were_measured(left, right):
        return False
    many = _MANY_BY_TRANSPOSED if right.stride(0) == 1 else _MANY
    return right.shape[1] < min(_VECTOR, len(left)) and left.numel() >= many


def uses_onednn(left: Tensor, right: Tensor) -> bool:
    """Return whether these are large float32 matrices, which oneDNN multiplies faster."""
    return _were_measured(left, right) and len(left) * right.numel() > _SMALL


def _were_measured(left: Tensor, right: Tensor) -> bool:
    """Return whether these are float32 matrices, no vectors, on a processor that was measured."""
    if left.ndim != 2 or right.ndim != 2 or left.dtype != torch.float32:
        return False
    return min(*left.shape, *right.shape) > 1 and onednn_is_faster()


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
