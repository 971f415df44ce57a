"""The linear layers of all runs on the CPU, bit for bit the same in any batch.

``torch.bmm`` chooses its algorithm by the batch size, and the BLAS by address and strides of the
operands, so that results would differ in the last bits between a run trained alone and in a batch.
So each run is multiplied separately, and small operands are copied to contiguous memory aligned to
64 bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from ipcae.ops.run_linear.matrix_product import matrix_product

# Larger operands are not copied: it would take too long.
_ALIGN_BELOW = 2**18  # elements
_TOGETHER = 2**14


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute inputs · weightᵀ + bias. Shape: as :func:`ipcae.ops.run_linear`."""
    return _RunLinear.apply(inputs, weight, bias)


class _RunLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        outputs = each_run(inputs, weight.transpose(-1, -2))
        if bias is not None:
            outputs.add_(bias.view(bias.shape[0], *[1] * (outputs.ndim - 2), -1))
        return outputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = ctx.saved_tensors
        grad_inputs = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_inputs = each_run(grad, weight)
            if inputs.ndim < weight.ndim:
                grad_inputs = grad_inputs.sum(0)
        if ctx.needs_input_grad[1]:
            grad_weight = each_run(grad.transpose(-1, -2), inputs)
        if ctx.needs_input_grad[2]:
            grad_bias = grad.sum(tuple(range(1, grad.ndim - 1)))
        return grad_inputs, grad_weight, grad_bias


def each_run(left: Tensor, right: Tensor) -> Tensor:
    """Multiply matrices run by run. A factor with fewer axes is shared by all runs.

    Shape: left (R, ..., M, I); right (R, ..., I, N) -> (R, ..., M, N).
    """
    n_runs = left.shape[0] if left.ndim >= right.ndim else right.shape[0]
    if n_runs == 1:
        a = left if left.ndim < right.ndim else left.squeeze(0)
        b = right if right.ndim < left.ndim else right.squeeze(0)
        return matrix_product(aligned(a), aligned(b)).unsqueeze(0)
    lefts, rights = _runs_of(left, right.ndim, n_runs), _runs_of(right, left.ndim, n_runs)
    shape = *(left if left.ndim >= right.ndim else right).shape[1:-2], left.shape[-2]
    out = left.new_empty(n_runs, *shape, right.shape[-1])
    together = _copied_together(out) and not _is_aligned(out)
    products = _aligned_like(out) if together else out
    for a, b, product in zip(lefts, rights, products.unbind(0), strict=True):
        if product.data_ptr() % 64 and product.numel() < _ALIGN_BELOW:
            product.copy_(matrix_product(a, b))
        else:
            matrix_product(a, b, out=product)
    return out.copy_(products) if together else out


def _runs_of(tensor: Tensor, other_ndim: int, n_runs: int) -> Iterable[Tensor]:
    """Return the operand of every run as :func:`aligned` does; copy those of all runs at once."""
    if tensor.ndim < other_ndim:
        return (aligned(tensor),) * n_runs
    if not _copied_together(tensor):
        return map(aligned, tensor.unbind(0))
    n_rows, n_columns = tensor.shape[1:]
    row, column = tensor.stride()[1:]
    has_gaps = (row, column) not in ((n_columns, 1), (1, n_rows))
    if has_gaps or not _is_aligned(tensor):
        if row < column:
            across = tensor.transpose(1, 2)
            tensor = _aligned_like(across).copy_(across).transpose(1, 2)
        else:
            tensor = _aligned_like(tensor).copy_(tensor)
    return tensor.unbind(0)


def _copied_together(tensor: Tensor) -> bool:
    """Return whether the matrices of all runs are small, so that one copy is faster than many."""
    if tensor.ndim != 3:
        return False
    n_rows, n_columns = tensor.shape[1:]
    # The strides of a single row or column are arbitrary.
    return min(n_rows, n_columns) > 1 and n_rows * n_columns <= _TOGETHER


def _is_aligned(tensor: Tensor) -> bool:
    """Return whether the matrix of every run is aligned."""
    return not (tensor.data_ptr() % 64 or tensor.stride(0) * tensor.itemsize % 64)


def _aligned_like(tensor: Tensor) -> Tensor:
    """Return an empty tensor of this shape in which the matrix of every run is aligned."""
    size, unit = tensor.shape[1:].numel(), 64 // tensor.itemsize
    return tensor.new_empty(len(tensor), -(-size // unit) * unit)[:, :size].view(tensor.shape)


def aligned(matrix: Tensor) -> Tensor:
    """Return a small matrix in contiguous memory aligned to 64 bytes, copied only if necessary."""
    if matrix.numel() >= _ALIGN_BELOW:
        return matrix
    if matrix.ndim == 2:
        matrix = _without_gaps(matrix)
    if matrix.data_ptr() % 64 == 0:
        return matrix
    return matrix.clone(memory_format=torch.preserve_format)


def _without_gaps(matrix: Tensor) -> Tensor:
    (n_rows, n_columns), (row, column) = matrix.shape, matrix.stride()
    if (row, column) == (n_columns, 1):
        return matrix
    if n_rows == 1 or n_columns == 1:  # the stride of an axis of length 1 is arbitrary
        return matrix.reshape(-1).view(n_rows, n_columns)
    if (row, column) == (1, n_rows):
        return matrix
    return matrix.t().contiguous().t() if row < column else matrix.contiguous()
