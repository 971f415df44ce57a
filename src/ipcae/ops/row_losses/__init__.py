"""Losses per row and run."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.ops.dispatch import kernels_for

__all__ = ["cross_entropy_rows", "squared_error_rows"]

LARGEST_FUSED = 8192  # most outputs that one program can hold


def squared_error_rows(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared difference of every row.

    Shape: outputs (R, B, O); targets (B, O) -> (R, B).

    >>> squared_error_rows(torch.zeros(1, 1, 2), torch.tensor([[1.0, 3.0]]))
    tensor([[5.]])
    """
    if _fusible(outputs):
        from ipcae.ops.row_losses import fused

        return fused.row_losses(outputs, targets, "squared error")
    return (outputs - targets).square().mean(-1)


def cross_entropy_rows(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the negative log-probability of every row's true class.

    Shape: outputs (R, B, C); targets (B,), class numbers -> (R, B).

    >>> cross_entropy_rows(torch.zeros(1, 1, 2), torch.tensor([1]))
    tensor([[0.6931]])
    """
    if _fusible(outputs):
        from ipcae.ops.row_losses import fused

        return fused.row_losses(outputs, targets, "cross-entropy")
    logs = torch.log_softmax(outputs, dim=-1).flatten(0, 1)
    of_rows = targets.expand(outputs.shape[:2])
    return functional.nll_loss(logs, of_rows.flatten(), reduction="none").view_as(of_rows)


def _fusible(outputs: Tensor) -> bool:
    return kernels_for(outputs) and outputs.shape[-1] <= LARGEST_FUSED
