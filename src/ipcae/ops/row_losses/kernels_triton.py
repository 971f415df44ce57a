"""Kernels of the losses, with one program per row and run.

``run_stride`` is the distance between the targets of two runs, 0 if they are shared.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def squared_error(
    outputs, targets, losses, gradient, n_rows, n_outputs, run_stride, BLOCK: tl.constexpr
):
    """Shape: outputs, gradient (R, B, O); targets (B, O) or (R, B, O); losses (R, B)."""
    number = tl.program_id(0)
    run = tl.program_id(1).to(tl.int64)
    row = run * n_rows + number
    output = tl.arange(0, BLOCK)
    inside = output < n_outputs
    difference = tl.load(outputs + row * n_outputs + output, inside, 0.0) - tl.load(
        targets + run * run_stride + number.to(tl.int64) * n_outputs + output, inside, 0.0
    )
    tl.store(losses + row, tl.sum(difference * difference, 0) / n_outputs)
    tl.store(gradient + row * n_outputs + output, difference * (2.0 / n_outputs), inside)


@triton.jit
def cross_entropy(
    outputs, targets, losses, gradient, n_rows, n_outputs, run_stride, BLOCK: tl.constexpr
):
    """Shape: outputs, gradient (R, B, C); targets (B,) or (R, B), class numbers; losses (R, B)."""
    number = tl.program_id(0)
    run = tl.program_id(1).to(tl.int64)
    row = run * n_rows + number
    label = tl.arange(0, BLOCK)
    inside = label < n_outputs
    scores = tl.load(outputs + row * n_outputs + label, inside, float("-inf"))
    true = tl.load(targets + run * run_stride + number)
    shifted = scores - tl.max(scores, 0)
    powers = tl.exp(shifted)
    total = tl.sum(powers, 0)
    tl.store(losses + row, tl.log(total) - tl.sum(tl.where(label == true, shifted, 0.0), 0))
    error = powers / total - tl.where(label == true, 1.0, 0.0)
    tl.store(gradient + row * n_outputs + label, error, inside)
