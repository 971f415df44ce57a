"""The linear layers of all runs on a GPU, with one kernel launch per product."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.ops.product_gradient import ProductGradient, SumGradient
from ipcae.ops.run_linear.product_triton import multiply
from ipcae.ops.side_stream import current_deferred

# The optimizer multiplies the factors of a gradient that is thin and at least this large.
THIN, LARGE = 64, 2**21


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None, precision: str) -> Tensor:
    """Shape: inputs (R, B, I) or (B, I); weight (R, O, I); bias (R, O) -> (R, B, O)."""
    return _Linear.apply(inputs, weight, bias, precision)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None, precision: str
    ) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        ctx.precision = precision
        # Read here: the backward pass may run in a thread of autograd's own.
        ctx.deferred, ctx.weights = current_deferred(), (weight, bias)
        if bias is not None:
            bias = bias.contiguous()
        return multiply(inputs, weight.transpose(1, 2), precision, bias)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = ctx.saved_tensors
        deferred, precision = ctx.deferred, ctx.precision
        needs_inputs, needs_weight, needs_bias, _ = ctx.needs_input_grad

        def weight_and_bias() -> tuple[Tensor | None, ...]:
            return multiply(grad.transpose(1, 2), inputs, precision, with_row_sums=needs_bias)

        def left_to_optimizer() -> tuple[ProductGradient, SumGradient | None]:
            # The optimizer moves a leaf before or while it reads the factor.
            right = inputs.clone() if inputs.is_leaf else inputs
            factors = ProductGradient(grad.transpose(1, 2), right, precision)
            return factors, SumGradient(grad) if needs_bias else None

        grad_inputs = grad_weight = grad_bias = None
        if deferred is not None and needs_weight and _left_to_optimizer(ctx, grad):
            grad_weight, grad_bias = deferred.compute(
                left_to_optimizer, ctx.weights, (grad, inputs)
            )
        elif needs_weight or needs_bias:
            # Without the gradient of the inputs, there is nothing to overlap with.
            if deferred is None or not needs_inputs:
                grad_weight, grad_bias = weight_and_bias()
            else:
                grad_weight, grad_bias = deferred.compute(
                    weight_and_bias, ctx.weights, (grad, inputs)
                )
        if needs_inputs:
            grad_inputs, _ = multiply(grad, weight, precision)
            if inputs.ndim == 2:
                grad_inputs = grad_inputs.sum(0)
        return grad_inputs, grad_weight, grad_bias, None


def _left_to_optimizer(ctx: Any, grad: Tensor) -> bool:
    """Return whether the optimizer multiplies the factors of the weight's gradient."""
    inputs, weight = ctx.saved_tensors
    if grad.shape[1] > THIN or weight.numel() < LARGE or inputs.ndim == 2:
        return False
    leaves = all(tensor is None or tensor.is_leaf for tensor in ctx.weights)
    return leaves and weight.is_contiguous()
