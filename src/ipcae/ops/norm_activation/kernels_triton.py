"""Kernels of layer normalization with activation."""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous


@triton.jit
def forward(
    inputs,
    scale,
    shift,
    out,
    moments,
    width,
    slope,
    BLOCK: tl.constexpr,
):
    """One program per row. Shape: inputs, out (R, B, H); scale, shift (R, H); moments (R, B, 2)."""
    wait_for_previous()
    run, row = tl.program_id(1), tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    unit = tl.arange(0, BLOCK)
    inside = unit < width
    index = row.to(tl.int64) * width + unit
    values = tl.load(inputs + index, inside, 0.0)
    mean = tl.sum(values, 0) / width
    centered = tl.where(inside, values - mean, 0.0)
    inverse = 1.0 / tl.sqrt(tl.sum(centered * centered, 0) / width + 1e-5)
    own_scale = tl.load(scale + run * width + unit, inside, 0.0)
    result = centered * inverse * own_scale + tl.load(shift + run * width + unit, inside, 0.0)
    tl.store(out + index, tl.where(result > 0, result, result * slope), inside)
    tl.store(moments + row * 2, mean)
    tl.store(moments + row * 2 + 1, inverse)


@triton.jit
def inputs_gradient(
    inputs,
    scale,
    shift,
    moments,
    grad,
    grad_inputs,
    width,
    slope,
    BLOCK: tl.constexpr,
):
    """One program per row. Shape: grad, grad_inputs (R, B, H), the rest as :func:`forward`."""
    wait_for_previous()
    run, row = tl.program_id(1), tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    unit = tl.arange(0, BLOCK)
    inside = unit < width
    index = row.to(tl.int64) * width + unit
    mean, inverse = tl.load(moments + row * 2), tl.load(moments + row * 2 + 1)
    normal = tl.where(inside, (tl.load(inputs + index, inside, 0.0) - mean) * inverse, 0.0)
    own_scale = tl.load(scale + run * width + unit, inside, 0.0)
    result = normal * own_scale + tl.load(shift + run * width + unit, inside, 0.0)
    above = tl.load(grad + index, inside, 0.0)
    above = tl.where(result > 0, above, above * slope) * own_scale
    mean_above = tl.sum(above, 0) / width
    mean_product = tl.sum(above * normal, 0) / width
    tl.store(grad_inputs + index, (above - mean_above - normal * mean_product) * inverse, inside)


@triton.jit
def affine_gradient(
    inputs,
    scale,
    shift,
    moments,
    grad,
    grad_scale,
    grad_shift,
    n_rows,
    width,
    slope,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """One program per run and block of units. Shape: grad_scale, grad_shift (R, H)."""
    wait_for_previous()
    run = tl.program_id(1)
    unit = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    in_width = unit < width
    own_scale = tl.load(scale + run * width + unit, in_width, 0.0)
    own_shift = tl.load(shift + run * width + unit, in_width, 0.0)
    scale_sum = tl.zeros((BLOCK,), tl.float32)
    shift_sum = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_rows, ROWS):
        number = start + tl.arange(0, ROWS)
        row = run * n_rows + number
        inside = (number < n_rows)[:, None] & in_width[None, :]
        index = row[:, None].to(tl.int64) * width + unit[None, :]
        mean = tl.load(moments + row * 2, number < n_rows, 0.0)
        inverse = tl.load(moments + row * 2 + 1, number < n_rows, 0.0)
        normal = (tl.load(inputs + index, inside, 0.0) - mean[:, None]) * inverse[:, None]
        above = tl.load(grad + index, inside, 0.0)
        above = tl.where(normal * own_scale + own_shift > 0, above, above * slope)
        scale_sum += tl.sum(above * normal, 0)
        shift_sum += tl.sum(above, 0)
    tl.store(grad_scale + run * width + unit, scale_sum, in_width)
    tl.store(grad_shift + run * width + unit, shift_sum, in_width)
