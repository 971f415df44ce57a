"""Losses per row on a GPU: one kernel for the losses, and one for the gradients of the outputs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import launch, next_power_of_2
from ipcae.ops.row_losses import kernels_triton

_KERNELS = {
    "squared error": kernels_triton.squared_error,
    "cross-entropy": kernels_triton.cross_entropy,
}


def row_losses(outputs: Tensor, targets: Tensor, kind: str) -> Tensor:
    """Shape: outputs (R, B, O); targets (B, O) or (B,) -> (R, B)."""
    return _RowLosses.apply(outputs.contiguous(), targets.contiguous(), kind)


class _RowLosses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, targets: Tensor, kind: str) -> Tensor:
        ctx.save_for_backward(outputs, targets)
        ctx.kind = kind
        losses = outputs.new_empty(outputs.shape[:2])
        _launch(kind, outputs, targets, None, losses)
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        outputs, targets = ctx.saved_tensors
        gradient = torch.empty_like(outputs)
        _launch(ctx.kind, outputs, targets, grad, gradient)
        return gradient, None, None


def _launch(kind: str, outputs: Tensor, targets: Tensor, above: Tensor | None, out: Tensor) -> None:
    n_runs, n_rows, n_outputs = outputs.shape
    above_or_any = out if above is None else above
    block = max(16, next_power_of_2(n_outputs))
    launch(
        _KERNELS[kind],
        (n_rows, n_runs),
        outputs,
        targets,
        above_or_any,
        out,
        n_rows,
        n_outputs,
        *above_or_any.stride()[:2],
        GRADIENT=above is not None,
        BLOCK=block,
        num_warps=1 if block <= 64 else 4,
    )
