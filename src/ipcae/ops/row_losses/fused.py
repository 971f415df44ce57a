"""Losses per row on a GPU, and the gradients of the outputs, in one kernel."""

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


def losses_and_gradients(
    outputs: Tensor, targets: Tensor, above: Tensor, kind: str
) -> tuple[Tensor, Tensor]:
    """Return the losses, and the gradients of the outputs given ``above``, those of the losses.

    Shape: outputs (R, B, O); targets (B, O) or (B,); above (R, B) -> (R, B), (R, B, O).
    """
    outputs, targets = outputs.detach().contiguous(), targets.contiguous()
    losses, gradients = outputs.new_empty(outputs.shape[:2]), torch.empty_like(outputs)
    _launch(kind, outputs, targets, losses, above, gradients)
    return losses, gradients


class _RowLosses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, targets: Tensor, kind: str) -> Tensor:
        ctx.save_for_backward(outputs, targets)
        ctx.kind = kind
        losses = outputs.new_empty(outputs.shape[:2])
        _launch(kind, outputs, targets, losses)
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        outputs, targets = ctx.saved_tensors
        return losses_and_gradients(outputs, targets, grad, ctx.kind)[1], None, None


def _launch(
    kind: str,
    outputs: Tensor,
    targets: Tensor,
    losses: Tensor,
    above: Tensor | None = None,
    gradients: Tensor | None = None,
) -> None:
    n_runs, n_rows, n_outputs = outputs.shape
    above_or_any = losses if above is None else above
    block = max(16, next_power_of_2(n_outputs))
    launch(
        _KERNELS[kind],
        (n_rows, n_runs),
        outputs,
        targets,
        above_or_any,
        losses,
        losses if gradients is None else gradients,
        n_rows,
        n_outputs,
        *above_or_any.stride()[:2],
        GRADIENT=gradients is not None,
        BLOCK=block,
        num_warps=1 if block <= 64 else 4,
    )
