"""Losses per row on a GPU: one kernel computes the losses and their gradients."""

from __future__ import annotations

from typing import Any

import torch
import triton
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import launch
from ipcae.ops.row_losses import kernels_triton


def row_losses(outputs: Tensor, targets: Tensor, kind: str) -> Tensor:
    """Shape: outputs (R, B, O); targets (B, O), (B,), or with a run axis -> (R, B)."""
    return _RowLosses.apply(outputs.contiguous(), targets.contiguous(), kind)


class _RowLosses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, targets: Tensor, kind: str) -> Tensor:
        n_runs, n_rows, n_outputs = outputs.shape
        losses = outputs.new_empty(n_runs, n_rows)
        gradient = torch.empty_like(outputs)
        kernel = {
            "squared error": kernels_triton.squared_error,
            "cross-entropy": kernels_triton.cross_entropy,
        }[kind]
        shared = {"squared error": 2, "cross-entropy": 1}[kind]
        run_stride = 0 if targets.ndim == shared else targets.stride(0)
        block = max(16, triton.next_power_of_2(n_outputs))
        launch(
            kernel,
            (n_rows, n_runs),
            outputs,
            targets,
            losses,
            gradient,
            n_rows,
            n_outputs,
            run_stride,
            BLOCK=block,
            num_warps=1 if block <= 64 else 4,
        )
        ctx.save_for_backward(gradient)
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return gradient * grad.unsqueeze(-1), None, None
