"""A linear layer per run: inputs · weightᵀ + bias."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.ops.dispatch import is_transformed, kernels_for
from ipcae.ops.precision import kernel_precision
from ipcae.ops.run_linear import run_by_run

__all__ = ["run_linear"]

# A program of the kernel sums over all inputs; with very many of them, cuBLAS is faster.
_MOST_INPUTS = 2**16


def run_linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute inputs · weightᵀ + bias for every run, as ``torch.nn.functional.linear`` does.

    Shape: inputs (R, ..., B, I), or (..., B, I) shared by all runs; weight (R, ..., O, I);
    bias (R, O) -> (R, ..., B, O).

    >>> run_linear(torch.ones(2, 3), torch.ones(4, 5, 3), torch.ones(4, 5))[0]
    tensor([[4., 4., 4., 4., 4.],
            [4., 4., 4., 4., 4.]])
    """
    if not is_transformed():
        if kernels_for(weight) and weight.ndim == 3 and weight.shape[-1] <= _MOST_INPUTS:
            from ipcae.ops.run_linear.tensor_cores import linear

            return linear(inputs, weight, bias, kernel_precision())
        if weight.device.type == "cpu":
            return run_by_run.linear(inputs, weight, bias)
    outputs = torch.matmul(inputs, weight.transpose(-1, -2))
    if bias is None:
        return outputs
    return outputs + bias.view(len(bias), *[1] * (outputs.ndim - 2), -1)
