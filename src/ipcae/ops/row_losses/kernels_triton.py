"""Kernels of the losses, with one program per row and run.

A kernel writes the losses and, with ``GRADIENT``, the gradients of the outputs, multiplied by
``above``, the gradients of the losses. ``above_run`` and ``above_row`` are strides of ``above``.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous


@triton.jit
def squared_error(
    outputs,
    targets,
    above,
    losses,
    gradients,
    n_rows,
    n_outputs,
    above_run,
    above_row,
    GRADIENT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Shape: outputs, gradients (R, B, O); targets (B, O); above, losses (R, B)."""
    wait_for_previous()
    number = tl.program_id(0)
    run = tl.program_id(1).to(tl.int64)
    row = run * n_rows + number
    output = tl.arange(0, BLOCK)
    inside = output < n_outputs
    difference = tl.load(outputs + row * n_outputs + output, inside, 0.0) - tl.load(
        targets + number.to(tl.int64) * n_outputs + output, inside, 0.0
    )
    tl.store(losses + row, tl.sum(difference * difference, 0) / n_outputs)
    if GRADIENT:
        gradient = (
            difference * (2.0 / n_outputs) * tl.load(above + run * above_run + number * above_row)
        )
        tl.store(gradients + row * n_outputs + output, gradient, inside)


@triton.jit
def cross_entropy(
    outputs,
    targets,
    above,
    losses,
    gradients,
    n_rows,
    n_outputs,
    above_run,
    above_row,
    GRADIENT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Shape: outputs, gradients (R, B, C); targets (B,), class numbers; above, losses (R, B)."""
    wait_for_previous()
    number = tl.program_id(0)
    run = tl.program_id(1).to(tl.int64)
    row = run * n_rows + number
    label = tl.arange(0, BLOCK)
    inside = label < n_outputs
    scores = tl.load(outputs + row * n_outputs + label, inside, float("-inf"))
    true = tl.load(targets + number)
    shifted = scores - tl.max(scores, 0)
    powers = tl.exp(shifted)
    total = tl.sum(powers, 0)
    tl.store(losses + row, tl.log(total) - tl.sum(tl.where(label == true, shifted, 0.0), 0))
    if GRADIENT:
        error = powers / total - tl.where(label == true, 1.0, 0.0)
        tl.store(
            gradients + row * n_outputs + label,
            error * tl.load(above + run * above_run + number * above_row),
            inside,
        )
