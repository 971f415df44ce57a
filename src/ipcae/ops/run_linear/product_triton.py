"""Batched matrix products on the tensor cores, accurate to float32.

In "tf32x3" each factor is split into two TF32 numbers, and the sum of three of their products is as
accurate as a float32 product, but faster. One kernel computes the three products of a linear layer:
the outputs with their bias, the gradient of the inputs, and the gradients of weight and bias.
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch, next_power_of_2
from ipcae.ops.fast_math_triton import product

_OCCUPIED = 100  # programs; with fewer large tiles, too many multiprocessors are idle
_ENOUGH_PROGRAMS = 200  # to occupy the multiprocessors of a large GPU
_LARGE = 2**22  # elements; larger results are bound by writing them


@triton.jit
def _multiply(
    left,
    right,
    bias,
    out,
    row_sums,
    n_rows,
    n_columns,
    n_inner,
    left_run,
    left_row,
    left_inner,
    right_run,
    right_inner,
    right_column,
    HAS_BIAS: tl.constexpr,
    HAS_SUMS: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    INNER: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Compute out = left · right (+ bias) and row_sums, the sums of left's rows."""
    wait_for_previous()
    run = tl.program_id(2).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    in_rows, in_columns = (row < n_rows)[:, None], (column < n_columns)[None, :]
    lefts = left + run * left_run + row[:, None] * left_row
    rights = right + run * right_run + column[None, :] * right_column
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    sums = tl.zeros((ROWS,), tl.float32)
    for start in range(0, n_inner, INNER):
        inner = start + tl.arange(0, INNER)
        inside = inner < n_inner
        a = tl.load(lefts + inner[None, :] * left_inner, in_rows & inside[None, :], 0.0)
        b = tl.load(rights + inner[:, None] * right_inner, in_columns & inside[:, None], 0.0)
        total += product(a, b, PRECISION)
        if HAS_SUMS:
            sums += tl.sum(a, 1)
    if HAS_BIAS:
        total += tl.load(bias + run * n_columns + column, column < n_columns, 0.0)[None, :]
    index = run * n_rows * n_columns + row[:, None] * n_columns + column[None, :]
    tl.store(out + index, total, in_rows & in_columns)
    if HAS_SUMS:
        first_column = tl.program_id(1) == 0
        tl.store(row_sums + run * n_rows + row, sums, (row < n_rows) & first_column)


class Tiles(NamedTuple):
    """Tile sizes, number of warps, and number of pipeline stages."""

    rows: int
    columns: int
    inner: int
    warps: int
    stages: int


def multiply(
    left: Tensor,
    right: Tensor,
    precision: str,
    bias: Tensor | None = None,
    with_row_sums: bool = False,
    tiles: Tiles | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Multiply the matrices of every run.

    Shape: left (R, M, I), or (M, I) shared by all runs; right (R, I, N) or (I, N); bias (R, N)
    -> (R, M, N) and, with ``with_row_sums``, the sums of left's rows, (R, M).
    """
    n_runs = len(left) if left.ndim == 3 else len(right)
    n_rows, n_inner = left.shape[-2:]
    n_columns = right.shape[-1]
    out = left.new_empty(n_runs, n_rows, n_columns)
    sums = left.new_empty(n_runs, n_rows) if with_row_sums else None
    tiles = tiles or usual_tiles(left, right, precision)
    grid = (cdiv(n_rows, tiles.rows), cdiv(n_columns, tiles.columns), n_runs)
    launch(
        _multiply,
        grid,
        left,
        right,
        out if bias is None else bias,
        out,
        out if sums is None else sums,
        n_rows,
        n_columns,
        n_inner,
        *_strides(left),
        *_strides(right),
        HAS_BIAS=bias is not None,
        HAS_SUMS=sums is not None,
        ROWS=tiles.rows,
        COLUMNS=tiles.columns,
        INNER=tiles.inner,
        PRECISION=precision,
        num_warps=tiles.warps,
        num_stages=min(tiles.stages, cdiv(n_inner, tiles.inner)),
    )
    return out, sums


def _strides(tensor: Tensor) -> tuple[int, ...]:
    return tensor.stride() if tensor.ndim == 3 else (0, *tensor.stride())


def usual_tiles(left: Tensor, right: Tensor, precision: str) -> Tiles:
    """Return tiles that are fast for layers of small networks (see benchmarks/products_gpu.py)."""
    n_runs = len(left) if left.ndim == 3 else len(right)
    n_rows, n_inner = left.shape[-2:]
    n_columns = right.shape[-1]
    # Three products instead of one need more registers, hence smaller tiles and more warps.
    exact = precision == "tf32x3"
    if n_inner <= 64 and n_runs * n_rows * n_columns >= _LARGE and not exact:
        return Tiles(32, 128, 16, warps=1, stages=4)
    if n_inner > 128 and not exact:
        for tiles in _large_tiles(left, right):
            programs = n_runs * cdiv(n_rows, tiles.rows) * cdiv(n_columns, tiles.columns)
            if 2 * n_rows > tiles.rows and programs >= _OCCUPIED:
                return tiles
    lies_in_rows = right.stride(-1) == 1
    most_rows, most_columns = (32, 64) if lies_in_rows and exact else (64, 32)
    rows = min(most_rows, max(16, next_power_of_2(n_rows)))
    columns = min(most_columns, max(16, next_power_of_2(n_columns)))
    while rows > 16 and (n_runs * cdiv(n_rows, rows) * cdiv(n_columns, columns) < _ENOUGH_PROGRAMS):
        rows //= 2
    most_inner = 128 if n_inner <= 128 and not exact else 64
    inner = min(most_inner, max(16, next_power_of_2(n_inner)))
    warps, stages = (4, 3) if exact else (2 if lies_in_rows else 4, 4)
    return Tiles(rows, columns, inner, warps, stages)


def _large_tiles(left: Tensor, right: Tensor) -> tuple[Tiles, ...]:
    """Return tiles for a layer with many inputs or outputs, the largest first."""
    n_inner, n_columns = right.shape[-2:]
    if right.stride(-1) != 1:  # the outputs of a layer
        if n_inner >= 256:
            return (Tiles(64, 64, 64, warps=4, stages=3),)
        return Tiles(128, 128, 16, warps=4, stages=3), Tiles(128, 64, 16, warps=4, stages=3)
    if left.stride(-1) != 1:  # the gradient of its weights
        return ()
    rows, columns = (32, 128) if n_columns >= 2 * n_inner else (128, 64)
    return (Tiles(rows, columns, 16, warps=4, stages=3),)  # the gradient of its inputs
