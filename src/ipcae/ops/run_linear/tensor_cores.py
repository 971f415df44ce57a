"""The linear map of every run on a GPU, forward and backward in one launch for each product."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.ops.run_linear.product_triton import multiply
from ipcae.ops.tape import current_tape


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
        ctx.tape = current_tape()
        if ctx.tape is not None:
            ctx.tape.note_use(weight)
        if bias is not None:
            bias = bias.contiguous()
        return multiply(inputs, weight.transpose(1, 2), precision, bias)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = ctx.saved_tensors
        tape, precision = ctx.tape, ctx.precision
        needs_inputs, needs_weight, needs_bias, _ = ctx.needs_input_grad

        def weight_and_bias() -> tuple[Tensor, Tensor | None]:
            return multiply(grad.transpose(1, 2), inputs, precision, with_row_sums=needs_bias)

        grad_inputs = grad_weight = grad_bias = None
        if needs_weight or needs_bias:
            # The inputs' gradient goes on to the layers before, unless there are none.
            aside = tape is not None and not inputs.is_leaf
            grad_weight, grad_bias = (
                tape.aside(weight, weight_and_bias, grad, inputs) if aside else weight_and_bias()
            )
        if needs_inputs:
            grad_inputs, _ = multiply(grad, weight, precision)
            if inputs.ndim == 2:
                grad_inputs = grad_inputs.sum(0)
        return grad_inputs, grad_weight, grad_bias, None
