"""Normalization and activation on the CPU: bit for bit the reference, with fewer temporary tensors.

With n the normalized row, v = s n + t and a gradient d with respect to the activation, the
gradients are e = d · (1 if v > 0 else slope) for t, e n for s, and e s for n. The activation has
the sign of v, so that v itself is overwritten.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_aten = torch.ops.aten


def norm_activation(
    inputs: Tensor, scale: Tensor, shift: Tensor, slope: float, epsilon: float
) -> Tensor:
    """Shape: inputs (R, B, H); scale, shift (R, H) -> (R, B, H)."""
    return _InPlace.apply(inputs, scale, shift, slope, epsilon)


class _InPlace(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, scale: Tensor, shift: Tensor, slope: float, epsilon: float
    ) -> Tensor:
        width = inputs.shape[-1]
        ones, zeros = _ones_and_zeros(width, inputs.dtype)
        normal, mean, inverse = _aten.native_layer_norm(inputs, [width], ones, zeros, epsilon)
        values = (normal * scale.unsqueeze(1)).add_(shift.unsqueeze(1))
        out = torch.nn.functional.leaky_relu_(values, slope)
        ctx.save_for_backward(inputs, scale, normal, mean, inverse, out)
        ctx.slope = slope
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, scale, normal, mean, inverse, out = ctx.saved_tensors
        grad = _aten.leaky_relu_backward(grad, out, ctx.slope, True)
        grad_shift = grad.sum(1)
        grad_scale = (grad * normal).sum(1)
        grad.mul_(scale.unsqueeze(1))
        grad_inputs, _, _ = _aten.native_layer_norm_backward(
            grad, inputs, inputs.shape[-1:], mean, inverse, None, None, [True, False, False]
        )
        return grad_inputs, grad_scale, grad_shift, None, None


@lru_cache(maxsize=64)
def _ones_and_zeros(width: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return a scale and a shift that change nothing: PyTorch is faster with than without them."""
    with torch.inference_mode(False):  # others could not be used in training
        return torch.ones(width, dtype=dtype), torch.zeros(width, dtype=dtype)
