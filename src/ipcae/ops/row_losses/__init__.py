"""Losses per row and run."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.ops.dispatch import kernels_for

__all__ = ["cross_entropy_rows", "losses_and_gradients", "squared_error_rows"]

LARGEST_FUSED = 8192  # most outputs that one program can hold


def squared_error_rows(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared difference of every row.

    Shape: outputs (R, B, O); targets (B, O) -> (R, B).

    >>> squared_error_rows(torch.zeros(1, 1, 2), torch.tensor([[1.0, 3.0]]))
    tensor([[5.]])
    """
    if _fusible(outputs):
        from ipcae.ops.row_losses import fused

        return fused.row_losses(outputs, targets, _KINDS[squared_error_rows])
    return (outputs - targets).square().mean(-1)


def cross_entropy_rows(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the negative log-probability of every row's true class.

    Shape: outputs (R, B, C); targets (B,), class numbers -> (R, B).

    >>> cross_entropy_rows(torch.zeros(1, 1, 2), torch.tensor([1]))
    tensor([[0.6931]])
    """
    if _fusible(outputs):
        from ipcae.ops.row_losses import fused

        return fused.row_losses(outputs, targets, _KINDS[cross_entropy_rows])
    logs = torch.log_softmax(outputs, dim=-1).flatten(0, 1)
    of_rows = targets.expand(outputs.shape[:2])
    return functional.nll_loss(logs, of_rows.flatten(), reduction="none").view_as(of_rows)


def losses_and_gradients(
    losses_of: Callable[[Tensor, Tensor], Tensor], outputs: Tensor, targets: Tensor, above: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the losses, and the gradients of the outputs given ``above``, those of the losses.

    The latter are often known before the losses are, for example if the losses are averaged. On a
    GPU, one kernel then computes everything.

    Shape: outputs (R, B, O); targets (B, O) or (B,); above (R, B) -> (R, B), (R, B, O).

    >>> outputs, targets = torch.zeros(1, 1, 2), torch.tensor([[1.0, 3.0]])
    >>> losses_and_gradients(squared_error_rows, outputs, targets, torch.ones(1, 1))
    (tensor([[5.]]), tensor([[[-1., -3.]]]))
    """
    if _fusible(outputs) and losses_of in _KINDS:
        from ipcae.ops.row_losses import fused

        return fused.losses_and_gradients(outputs, targets, above, _KINDS[losses_of])
    with torch.enable_grad():
        leaf = outputs.detach().requires_grad_()
        losses = losses_of(leaf, targets)
        (gradients,) = torch.autograd.grad(losses, leaf, above)
    return losses.detach(), gradients


_KINDS = {squared_error_rows: "squared error", cross_entropy_rows: "cross-entropy"}


def _fusible(outputs: Tensor) -> bool:
    return kernels_for(outputs) and outputs.shape[-1] <= LARGEST_FUSED
