"""Normalization and activation on a GPU: one kernel forward, two backward."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import cdiv, launch, next_power_of_2
from ipcae.ops.norm_activation import kernels_triton
from ipcae.ops.side_stream import current_deferred


def norm_activation(inputs: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
    """Shape: inputs (R, B, H); scale, shift (R, H) -> (R, B, H)."""
    return _NormActivation.apply(inputs.contiguous(), scale.contiguous(), shift.contiguous(), slope)


class _NormActivation(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
        n_runs, n_rows, width = inputs.shape
        out = torch.empty_like(inputs)
        moments = inputs.new_empty(n_runs, n_rows, 2)
        launch(
            kernels_triton.forward,
            (n_rows, n_runs),
            inputs,
            scale,
            shift,
            out,
            moments,
            width,
            slope,
            BLOCK=next_power_of_2(width),
        )
        ctx.save_for_backward(inputs, scale, shift, moments)
        ctx.slope = slope
        ctx.deferred, ctx.weights = current_deferred(), (scale, shift)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, scale, shift, moments = ctx.saved_tensors
        n_runs, n_rows, width = inputs.shape
        grad = grad.contiguous()
        grad_inputs = torch.empty_like(inputs)
        common = inputs, scale, shift, moments, grad
        launch(
            kernels_triton.inputs_gradient,
            (n_rows, n_runs),
            *common,
            grad_inputs,
            width,
            ctx.slope,
            BLOCK=next_power_of_2(width),
        )

        def affine() -> tuple[Tensor, Tensor]:
            grad_scale, grad_shift = torch.empty_like(scale), torch.empty_like(shift)
            launch(
                kernels_triton.affine_gradient,
                (cdiv(width, 32), n_runs),
                *common,
                grad_scale,
                grad_shift,
                n_rows,
                width,
                ctx.slope,
                ROWS=64,
                BLOCK=32,
            )
            return grad_scale, grad_shift

        if ctx.deferred is None:
            return grad_inputs, *affine(), None
        return grad_inputs, *ctx.deferred.compute(affine, ctx.weights, common), None
