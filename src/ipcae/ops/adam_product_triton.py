"""Adam's update of a weight whose gradient is the product of two thin matrices.

A program reads a tile of the weight and of its moments, multiplies the factors of the gradient
while these reads are in flight, and writes the tile. Six numbers per parameter are moved instead of
the nine of a product followed by an update.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch
from ipcae.ops.adam_triton import LAST_CORRECTION, corrections, moved
from ipcae.ops.fast_math_triton import product
from ipcae.ops.product_gradient import ProductGradient
from ipcae.runs import DeviceStep

_ROWS, _COLUMNS, _INNER = 32, 64, 16


@triton.jit(do_not_specialize=["offset"])
def _update_by_product(
    tensor,
    left,
    right,
    firsts,
    seconds,
    step_sizes,
    corrections,
    step,
    offset,
    last,
    n_rows,
    n_columns,
    n_inner,
    left_run,
    left_row,
    left_inner,
    right_run,
    right_inner,
    right_column,
    weight_decay,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    INNER: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Shape: tensor, firsts, seconds (R, O, I); left (R, O, N); right (R, N, I)."""
    wait_for_previous()
    run = tl.program_id(2).to(tl.int64)
    number = tl.minimum(tl.load(step) + offset, last)
    size = tl.load(step_sizes + run) * tl.load(corrections + 2 * number)
    second_correction = tl.load(corrections + 2 * number + 1)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    in_rows, in_columns = (row < n_rows)[:, None], (column < n_columns)[None, :]
    inside = in_rows & in_columns
    index = (run * n_rows + row[:, None]) * n_columns + column[None, :]
    param = tl.load(tensor + index, inside)
    # Nothing else reads the moments: they should not displace the weight from the cache.
    first = tl.load(firsts + index, inside, eviction_policy="evict_first")
    second = tl.load(seconds + index, inside, eviction_policy="evict_first")
    lefts = left + run * left_run + row[:, None] * left_row
    rights = right + run * right_run + column[None, :] * right_column
    gradient = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, n_inner, INNER):
        inner = start + tl.arange(0, INNER)
        in_inner = inner < n_inner
        a = tl.load(lefts + inner[None, :] * left_inner, in_rows & in_inner[None, :], 0.0)
        b = tl.load(rights + inner[:, None] * right_inner, in_columns & in_inner[:, None], 0.0)
        gradient += product(a, b, PRECISION)
    param, first, second = moved(
        param, gradient, first, second, size, second_correction, weight_decay
    )
    tl.store(tensor + index, param, inside)
    tl.store(firsts + index, first, inside, eviction_policy="evict_first")
    tl.store(seconds + index, second, inside, eviction_policy="evict_first")


def adam_update_by_product(
    param: Tensor,
    gradient: ProductGradient,
    first: Tensor,
    second: Tensor,
    step_sizes: Tensor,
    step: DeviceStep,
    weight_decay: float,
) -> None:
    """Update the weight and its moments in place; ``step`` counts the steps before this one.

    Shape: param, first, second (R, O, I), contiguous; step_sizes (R,).
    """
    n_runs, n_rows, n_columns = param.shape
    launch(
        _update_by_product,
        (cdiv(n_rows, _ROWS), cdiv(n_columns, _COLUMNS), n_runs),
        param,
        gradient.left,
        gradient.right,
        first,
        second,
        step_sizes,
        corrections(step_sizes.device),
        step.base,
        step.offset,
        LAST_CORRECTION,
        n_rows,
        n_columns,
        gradient.right.shape[1],
        *gradient.left.stride(),
        *gradient.right.stride(),
        weight_decay,
        ROWS=_ROWS,
        COLUMNS=_COLUMNS,
        INNER=_INNER,
        PRECISION=gradient.precision,
        num_warps=4,
        num_stages=4,
    )
