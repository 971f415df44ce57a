"""The concrete selection on a GPU: one pass forward, one backward, without noise in memory.

Both kernel families save one number per sample for the backward pass, log₂ Σ 2^score, from which it
recomputes the softmax. With one sample per row, the weights of the features are kept if they fit
(:mod:`~ipcae.ops.concrete_select.kept_weights`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.ops.concrete_select import groups_launch, rows_launch
from ipcae.ops.concrete_select.kernel_call import KernelCall
from ipcae.ops.concrete_select.reference import group_rows
from ipcae.runs.philox_counter import PhiloxCounter


def concrete_select(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    draws: int | str,
    counter: PhiloxCounter,
    straight_through: bool = False,
    precision: str = "tf32x3",
) -> Tensor:
    """Sample the nodes with the noise of ``counter`` and apply them to the rows.

    Shape: logits (R, K, D); rows (B, D); temperature () -> (R, B, K).
    """
    n_draws, group = group_rows(len(rows), draws)
    return _Select.apply(
        logits.contiguous(),
        rows.contiguous(),
        temperature,
        counter,
        n_draws,
        group,
        straight_through,
        precision,
    )


class _Select(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, rows: Tensor, temperature: Tensor, *rest: Any) -> Tensor:
        call = KernelCall(logits, rows, temperature, *rest)
        family = rows_launch if call.group == 1 else groups_launch
        soft, lse, chosen, *kept = family.forward(call, keep=ctx.needs_input_grad[0])
        ctx.save_for_backward(logits, rows, temperature, soft, lse, chosen, *kept)
        ctx.family, ctx.rest = family, rest
        # The second term is zero, or NaN where a logit is, so that divergence is noticed.
        return _read_chosen(rows, chosen, call.group) + (soft - soft) if call.hard else soft

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        logits, rows, temperature, soft, lse, chosen, *kept = ctx.saved_tensors
        call = KernelCall(logits, rows, temperature, *ctx.rest)
        grad = grad.contiguous()
        grad_logits = grad_rows = None
        if ctx.needs_input_grad[0]:
            grad_logits = ctx.family.logits_gradient(call, soft, lse, grad, *kept)
        if ctx.needs_input_grad[1]:
            if call.hard:
                grad_rows = _chosen_gradient(call.rows, chosen, grad, call.group)
            else:
                grad_rows = ctx.family.rows_gradient(call, lse, grad)
        return grad_logits, grad_rows, None, *[None] * len(ctx.rest)


def _of_rows(chosen: Tensor, n_rows: int, group: int) -> Tensor:
    """Return each row's selected features. Shape: chosen (R, n, K) -> (R, B, K)."""
    return chosen.long().repeat_interleave(group, dim=1)[:, :n_rows]


def _read_chosen(rows: Tensor, chosen: Tensor, group: int) -> Tensor:
    index = _of_rows(chosen, len(rows), group)
    return rows.expand(len(index), -1, -1).gather(2, index)


def _chosen_gradient(rows: Tensor, chosen: Tensor, grad: Tensor, group: int) -> Tensor:
    index = _of_rows(chosen, len(rows), group)
    each_run = torch.zeros(len(index), *rows.shape, device=rows.device)
    return each_run.scatter_add_(2, index, grad).sum(0)
