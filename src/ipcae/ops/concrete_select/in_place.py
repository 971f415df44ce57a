"""The concrete selection on the CPU in float32: the noise is overwritten by the samples.

Bit for bit the arithmetic of the reference, but as a single autograd function and without its
temporary tensors. With m = softmax((log α + g) / T), a gradient d with respect to m gives
m (d − m·d) / T with respect to log α.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from ipcae.ops.run_linear.run_by_run import each_run


def concrete_select(
    logits: Tensor, rows: Tensor, temperature: float | Tensor, noise: Tensor, group: int, hard: bool
) -> Tensor:
    """Sample the nodes with the given noise, which is overwritten, and apply them to the rows.

    ``group`` rows share each draw; the last draw may have fewer. Noise of S < R runs is repeated
    for every S runs, and not overwritten.

    Shape: logits (R, K, D); rows (B, D); noise (R, n, K, D) or (S, n, K, D) -> (R, B, K).
    """
    return _SelectInPlace.apply(logits, rows, temperature, noise, group, hard)


class _SelectInPlace(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        rows: Tensor,
        temperature: float | Tensor,
        noise: Tensor,
        group: int,
        hard: bool,
    ) -> Tensor:
        n_runs, (_, n_draws, n_nodes, _) = len(logits), noise.shape
        if len(noise) == n_runs:
            scores = noise.add_(logits.unsqueeze(1))
        else:
            repeated = logits.unflatten(0, (-1, len(noise))).unsqueeze(2)
            scores = (noise + repeated).flatten(0, 1)
        scores.div_(temperature)
        samples = torch.softmax(scores, dim=-1, out=scores)
        if n_draws == 1:
            samples = samples.squeeze(1)
        weights = _one_hot(samples) if hard else samples
        ctx.save_for_backward(rows, samples, weights)
        ctx.rest = temperature, n_draws, group
        selected = each_run(_grouped(rows, n_draws, group), weights.transpose(-1, -2))
        return selected if n_draws == 1 else selected.view(n_runs, -1, n_nodes)[:, : len(rows)]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, samples, weights = ctx.saved_tensors
        temperature, n_draws, group = ctx.rest
        grad = _grouped(grad, n_draws, group)
        grad_logits = grad_rows = None
        if ctx.needs_input_grad[0]:
            wanted = each_run(grad.transpose(-1, -2), _grouped(rows, n_draws, group))
            _softmax_backward_(wanted, samples)
            wanted.div_(temperature)
            grad_logits = wanted if n_draws == 1 else wanted.sum(1)
        if ctx.needs_input_grad[1]:
            grad_rows = each_run(grad, weights).sum(0).view(-1, rows.shape[-1])[: len(rows)]
        return grad_logits, grad_rows, None, None, None, None


def _softmax_backward_(grad: Tensor, samples: Tensor) -> None:
    """Turn the gradient of the samples into that of the scores, in place: m (d − m·d)."""
    try:
        backward = torch.ops.aten._softmax_backward_data.out
    except AttributeError:  # not a public operation: a later PyTorch may not have it
        grad.sub_((samples * grad).sum(-1, keepdim=True)).mul_(samples)
    else:
        backward(grad, samples, -1, samples.dtype, grad_input=grad)


def _one_hot(samples: Tensor) -> Tensor:
    return torch.zeros_like(samples).scatter_(-1, samples.argmax(-1, keepdim=True), 1.0)


def _grouped(values: Tensor, n_draws: int, group: int) -> Tensor:
    """Split the rows into one group per draw, padded with zeros, if there are several draws.

    Shape: (..., B, I) -> (..., n, group, I).
    """
    if n_draws == 1:
        return values
    n_rows, width = values.shape[-2:]
    if n_draws * group > n_rows:
        values = functional.pad(values, (0, 0, 0, n_draws * group - n_rows))
    return values.reshape(*values.shape[:-2], n_draws, group, width)
