"""Adam's update of all tensors of all runs in one launch.

The update moves seven numbers per parameter and computes almost nothing: one launch that streams
them all is as fast as the memory. Its step count is on the device, so that it can be captured.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from ipcae.kernel_launch import launch
from ipcae.ops.fast_math_triton import product
from ipcae.ops.tape import Factors
from ipcae.runs import DeviceStep

_BETA_1, _BETA_2, _EPSILON = tl.constexpr(0.9), tl.constexpr(0.999), tl.constexpr(1e-8)
_BLOCK = 1024
_PRODUCT_TILE = (32, 64)
# After so many steps 1 − 0.999ᵗ is 1 in float32.
_CORRECTED_STEPS = 20_000


@triton.jit
def _read(tensor, firsts, seconds, place, inside):
    """Read numbers and their moments."""
    return (
        tl.load(tensor + place, inside),
        tl.load(firsts + place, inside),
        tl.load(seconds + place, inside),
    )


@triton.jit
def _move(
    tensor, firsts, seconds, place, inside, old, gradient, size, second_correction, weight_decay
):
    """Update the numbers at these places, and their moments."""
    param, first, second = old
    gradient += weight_decay * param
    first = first + (gradient - first) * (1 - _BETA_1)
    second = second * _BETA_2 + gradient * gradient * (1 - _BETA_2)
    change = size * first / (tl.sqrt(second) * second_correction + _EPSILON)
    tl.store(tensor + place, param - change, inside)
    tl.store(firsts + place, first, inside)
    tl.store(seconds + place, second, inside)


@triton.jit(do_not_specialize=["offset"])
def _update(
    tensors,
    gradients,
    firsts,
    seconds,
    sizes,
    step_sizes,
    corrections,
    step,
    offset,
    last,
    n_runs,
    weight_decay,
    BLOCK: tl.constexpr,
):
    """Shape: every tensor (R, its size); step_sizes (R,); corrections (steps, 2)."""
    program = tl.program_id(0)
    number = tl.minimum(tl.load(step) + offset, last)
    first_correction = tl.load(corrections + 2 * number)
    second_correction = tl.load(corrections + 2 * number + 1)
    start = 0
    for i in tl.static_range(len(tensors)):
        blocks = tl.cdiv(sizes[i], BLOCK)
        if (program >= start) & (program < start + blocks * n_runs):
            run, block = (program - start) // blocks, (program - start) % blocks
            place = block * BLOCK + tl.arange(0, BLOCK)
            inside = place < sizes[i]
            place = place + run.to(tl.int64) * sizes[i]
            size = tl.load(step_sizes + run) * first_correction
            old = _read(tensors[i], firsts[i], seconds[i], place, inside)
            gradient = tl.load(gradients[i] + place, inside)
            _move(
                tensors[i],
                firsts[i],
                seconds[i],
                place,
                inside,
                old,
                gradient,
                size,
                second_correction,
                weight_decay,
            )
        start += blocks * n_runs


def adam_update(
    params: Sequence[Tensor],
    gradients: Sequence[Tensor],
    firsts: Sequence[Tensor],
    seconds: Sequence[Tensor],
    step_sizes: Tensor,
    step: DeviceStep,
    weight_decay: float,
) -> None:
    """Update the tensors and their moments in place; ``step`` counts the steps before this one.

    Shape: all tensors (R, ...), contiguous; step_sizes (R,).
    """
    n_runs = len(step_sizes)
    sizes = tuple(tensor.numel() // n_runs for tensor in params)
    programs = n_runs * sum(triton.cdiv(size, _BLOCK) for size in sizes)
    launch(
        _update,
        (programs,),
        tuple(params),
        tuple(gradients),
        tuple(firsts),
        tuple(seconds),
        sizes,
        step_sizes,
        _corrections(step_sizes.device),
        step.base,
        step.offset,
        _CORRECTED_STEPS - 1,
        n_runs,
        weight_decay,
        BLOCK=_BLOCK,
    )


@triton.jit(do_not_specialize=["offset"])
def _update_product(
    weight,
    weight_firsts,
    weight_seconds,
    bias,
    bias_firsts,
    bias_seconds,
    grad,
    inputs,
    step_sizes,
    corrections,
    step,
    offset,
    last,
    n_rows,
    n_outputs,
    n_inputs,
    weight_decay,
    HAS_BIAS: tl.constexpr,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    INPUTS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Shape: weight (R, O, I); bias (R, O); grad (R, B, O); inputs (R, B, I)."""
    run = tl.program_id(2).to(tl.int64)
    output = tl.program_id(0) * OUTPUTS + tl.arange(0, OUTPUTS)
    column = tl.program_id(1) * INPUTS + tl.arange(0, INPUTS)
    in_outputs, in_inputs = output < n_outputs, column < n_inputs
    # Read first, to be there when the product is.
    place = (run * n_outputs + output[:, None]) * n_inputs + column[None, :]
    in_weight = in_outputs[:, None] & in_inputs[None, :]
    old = _read(weight, weight_firsts, weight_seconds, place, in_weight)
    gradient = tl.zeros((OUTPUTS, INPUTS), tl.float32)
    sums = tl.zeros((OUTPUTS,), tl.float32)
    for start in range(0, n_rows, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = row < n_rows
        left_at = (run * n_rows + row[None, :]) * n_outputs + output[:, None]
        left = tl.load(grad + left_at, in_outputs[:, None] & inside[None, :], 0.0)
        right_at = (run * n_rows + row[:, None]) * n_inputs + column[None, :]
        right = tl.load(inputs + right_at, inside[:, None] & in_inputs[None, :], 0.0)
        gradient += product(left, right, PRECISION)
        if HAS_BIAS:
            sums += tl.sum(left, 1)
    number = tl.minimum(tl.load(step) + offset, last)
    size = tl.load(step_sizes + run) * tl.load(corrections + 2 * number)
    second_correction = tl.load(corrections + 2 * number + 1)
    _move(
        weight,
        weight_firsts,
        weight_seconds,
        place,
        in_weight,
        old,
        gradient,
        size,
        second_correction,
        weight_decay,
    )
    if HAS_BIAS:
        own = run * n_outputs + output
        in_bias = in_outputs & (tl.program_id(1) == 0)
        _move(
            bias,
            bias_firsts,
            bias_seconds,
            own,
            in_bias,
            _read(bias, bias_firsts, bias_seconds, own, in_bias),
            sums,
            size,
            second_correction,
            weight_decay,
        )


def adam_update_product(
    weight: tuple[Tensor, Tensor, Tensor],
    bias: tuple[Tensor, Tensor, Tensor] | None,
    factors: Factors,
    step_sizes: Tensor,
    step: DeviceStep,
    weight_decay: float,
    precision: str,
) -> None:
    """Update weight and bias in place, each given with its two moments, by a factored gradient."""
    n_runs, n_outputs, n_inputs = weight[0].shape
    n_rows = factors.grad.shape[1]
    outputs, inputs = _PRODUCT_TILE
    grid = (triton.cdiv(n_outputs, outputs), triton.cdiv(n_inputs, inputs), n_runs)
    launch(
        _update_product,
        grid,
        *weight,
        *(weight if bias is None else bias),
        factors.grad.contiguous(),
        factors.inputs.contiguous(),
        step_sizes,
        _corrections(step_sizes.device),
        step.base,
        step.offset,
        _CORRECTED_STEPS - 1,
        n_rows,
        n_outputs,
        n_inputs,
        weight_decay,
        HAS_BIAS=bias is not None,
        ROWS=min(64, max(16, triton.next_power_of_2(n_rows))),
        OUTPUTS=outputs,
        INPUTS=inputs,
        PRECISION=precision,
        num_warps=4,
        num_stages=1,
    )


@lru_cache(maxsize=8)
def _corrections(device: torch.device) -> Tensor:
    """Return 1 / (1 − β₁ᵗ) and 1 / √(1 − β₂ᵗ) for t = 1, 2, …"""
    t = np.arange(1, _CORRECTED_STEPS + 1, dtype=np.float64)
    columns = [1 / (1 - _BETA_1.value**t), 1 / np.sqrt(1 - _BETA_2.value**t)]
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32)).to(device)
