"""Normalization and activation on the CPU: one step of the backward pass, few temporaries.

The same arithmetic as the plain sequence of operations, bit for bit.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_norm_backward = torch.ops.aten.native_layer_norm_backward
_leaky_backward = torch.ops.aten.leaky_relu_backward


def norm_activation(
    inputs: Tensor, scale: Tensor, shift: Tensor, slope: float, epsilon: float
) -> Tensor:
    """Shape: inputs (R, B, H); scale, shift (R, H) -> (R, B, H). The slope is not negative."""
    return _NormActivation.apply(inputs, scale, shift, slope, epsilon)


class _NormActivation(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, scale: Tensor, shift: Tensor, slope: float, epsilon: float
    ) -> Tensor:
        width = inputs.shape[-1:]
        normal, mean, deviation = torch.native_layer_norm(inputs, width, None, None, epsilon)
        out = (normal * scale.unsqueeze(1)).add_(shift.unsqueeze(1))
        torch.nn.functional.leaky_relu_(out, slope)
        ctx.save_for_backward(inputs, scale, normal, mean, deviation, out)
        ctx.slope = slope
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, scale, normal, mean, deviation, out = ctx.saved_tensors
        # The sign of the activation is that of its input, as long as the slope is not negative.
        bent = _leaky_backward(grad, out, ctx.slope, True)
        grad_shift = bent.sum(1)
        grad_scale = (bent * normal).sum(1)
        grad_normal = bent.mul_(scale.unsqueeze(1))
        wanted = (True, False, False)
        grad_inputs, _, _ = _norm_backward(
            grad_normal, inputs, inputs.shape[-1:], mean, deviation, None, None, wanted
        )
        return grad_inputs, grad_scale, grad_shift, None, None
