"""The linear map of every run on a GPU, forward and backward in one launch for each product."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.ops.run_linear.factored import Factors, tape_for
from ipcae.ops.run_linear.product_triton import multiply


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
        # Asked for here: a backward pass runs in a thread of its own.
        ctx.tape, ctx.bias = tape_for(weight), bias
        if bias is not None:
            bias = bias.contiguous()
        return multiply(inputs, weight.transpose(1, 2), precision, bias)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = ctx.saved_tensors
        grad_inputs = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_inputs, _ = multiply(grad, weight, ctx.precision)
            if inputs.ndim == 2:
                grad_inputs = grad_inputs.sum(0)
        if ctx.tape is not None and inputs.ndim == 3:
            ctx.tape.leave(weight, Factors(grad, inputs, ctx.bias))
        elif ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
            grad_weight, grad_bias = multiply(
                grad.transpose(1, 2), inputs, ctx.precision, with_row_sums=ctx.needs_input_grad[2]
            )
        return grad_inputs, grad_weight, grad_bias, None
