"""The cross-entropy on the CPU, as one step of the backward pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def cross_entropy_rows(outputs: Tensor, targets: Tensor) -> Tensor:
    """Shape: outputs (R, B, C); targets (B,), class numbers -> (R, B)."""
    return _CrossEntropy.apply(outputs, targets)


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, targets: Tensor) -> Tensor:
        log_probabilities = torch.log_softmax(outputs, dim=-1)
        index = targets.expand(outputs.shape[:2]).unsqueeze(-1)
        ctx.save_for_backward(log_probabilities, index)
        return log_probabilities.gather(-1, index).squeeze(-1).neg_()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        log_probabilities, index = ctx.saved_tensors
        dense = torch.zeros_like(log_probabilities)
        dense.scatter_(-1, index, -grad.unsqueeze(-1))
        wanted = torch._log_softmax_backward_data(dense, log_probabilities, -1, dense.dtype)
        return wanted, None
