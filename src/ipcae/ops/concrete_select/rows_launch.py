"""Launches of the kernels for one noise sample per row."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from ipcae.kernel_launch import launch
from ipcae.ops.concrete_select import kernel_call, rows_triton
from ipcae.ops.concrete_select.kernel_call import KernelCall

LANES = 32  # one warp reads a row
_SUMMED = 256  # numbers that one program sums


def forward(call: KernelCall) -> tuple[Tensor, Tensor, Tensor]:
    """Return selected values, log₂ Σ 2^score and selected features. Shape: (R, B, K) each."""
    n_runs, n_rows, n_nodes, n_features = call.shape
    out = call.logits.new_empty(n_runs, n_rows, n_nodes)
    lse, chosen = torch.empty_like(out), call.winners(*out.shape)
    launch(
        rows_triton.select_rows,
        (n_runs * n_rows * triton.cdiv(n_nodes, 4),),
        call.logits,
        call.rows,
        call.temperature,
        *call.counter.arguments,
        out,
        lse,
        chosen,
        n_rows,
        n_nodes,
        n_features,
        HARD=call.hard,
        LANES=LANES,
        num_warps=1,
    )
    return out, lse, chosen


def logits_gradient(call: KernelCall, soft: Tensor, lse: Tensor, grad: Tensor) -> Tensor:
    """Shape: soft, lse, grad (R, B, K) -> (R, K, D)."""
    n_runs, n_rows, n_nodes, n_features = call.shape
    block = kernel_call.block(n_features, 64)
    blocks, quads = triton.cdiv(n_features, block), triton.cdiv(n_nodes, 4)
    # The rows are divided as well, and the parts summed, to have enough programs.
    n_parts = min(max(1, 24 * kernel_call.PROGRAMS // (blocks * quads * n_runs)), n_rows, 8)
    parts = call.logits.new_empty(n_parts, *call.logits.shape)
    launch(
        rows_triton.logits_gradient_rows,
        (blocks, quads * n_runs, n_parts),
        call.logits,
        call.rows,
        call.temperature,
        *call.counter.arguments,
        soft,
        lse,
        grad,
        parts,
        n_rows,
        n_nodes,
        n_features,
        triton.cdiv(n_rows, n_parts),
        BLOCK=block,
        num_warps=1,
    )
    if n_parts == 1:
        return parts[0]
    total = torch.empty_like(call.logits)
    grid = (triton.cdiv(total.numel(), _SUMMED),)
    launch(rows_triton.sum_parts, grid, parts, total, total.numel(), N_PARTS=n_parts, BLOCK=_SUMMED)
    return total


def rows_gradient(call: KernelCall, lse: Tensor, grad: Tensor) -> Tensor:
    """Shape: lse, grad (R, B, K) -> (B, D)."""
    _, n_rows, _, n_features = call.shape
    grad_rows = torch.empty_like(call.rows)
    block = kernel_call.block(n_features, 128)
    launch(
        rows_triton.rows_gradient_rows,
        (triton.cdiv(n_features, block), n_rows),
        call.logits,
        call.temperature,
        *call.counter.arguments,
        lse,
        grad,
        grad_rows,
        *call.shape,
        BLOCK=block,
    )
    return grad_rows
