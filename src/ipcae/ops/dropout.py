"""Dropout of hidden units, with separate random numbers for every run."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.runs import Stream


def dropout(values: Tensor, probability: float, stream: Stream) -> Tensor:
    """Set values to zero with the given probability, and divide the others by 1 − probability.

    On the CPU, runs with the same seed share the numbers that are drawn.

    Shape: (R, B, H) -> (R, B, H).

    >>> dropout(torch.ones(1, 1, 6), 0.5, Stream([0]))
    tensor([[[2., 2., 0., 0., 2., 0.]]])
    """
    kept = 1 - probability
    if values.device.type != "cpu" or stream.part is not None:
        return values * stream.keep(kept, *values.shape[1:]) / kept
    return _Dropout.apply(values, stream.keep_distinct(kept, *values.shape[1:]))


class _Dropout(torch.autograd.Function):
    """Shape: values (R, B, H); factors (S, B, H), which are repeated for every S runs."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, factors: Tensor) -> Tensor:
        ctx.save_for_backward(factors)
        return _times(values, factors)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return _times(grad, *ctx.saved_tensors), None


def _times(values: Tensor, factors: Tensor) -> Tensor:
    if len(factors) == len(values):
        return values * factors
    return (values.unflatten(0, (-1, len(factors))) * factors).view_as(values)
