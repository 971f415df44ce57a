"""Launches of the kernels for one noise sample per row."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.kernel_launch import cdiv, launch
from ipcae.ops.concrete_select import (
    kept_weights,
    kept_weights_triton,
    kernel_call,
    rows_gradient_triton,
    rows_triton,
)
from ipcae.ops.concrete_select.kernel_call import KernelCall

_SUMMED = 256  # numbers that one program sums


def forward(call: KernelCall, *, keep: bool) -> tuple[Tensor, ...]:
    """Return selected values, log₂ Σ 2^score and selected features. Shape: (R, B, K) each.

    With ``keep``, also the weights of the features for the backward pass, unless there are too many
    or half precision is not enough.
    """
    n_runs, n_rows, n_nodes, n_features = call.shape
    out = call.logits.new_empty(n_runs, n_rows, n_nodes)
    lse, chosen = torch.empty_like(out), call.winners(*out.shape)
    tile = kernel_call.block(n_features, kept_weights.TILE)
    rest = n_features % tile
    possible = keep and call.precision != "tf32x3"
    sizes = kept_weights.kept_sizes(*call.shape, tile) if possible else None
    kept = out.new_empty(sizes or (1,), dtype=torch.float16)
    tops = out.new_empty(sizes[:-1] if sizes else (1,))
    launch(
        rows_triton.select_rows,
        (n_runs * n_rows * cdiv(n_nodes, 4),),
        call.logits,
        call.rows,
        call.temperature,
        *call.counter.arguments,
        out,
        lse,
        chosen,
        kept,
        tops,
        n_rows,
        n_nodes,
        n_features,
        HARD=call.hard,
        KEEP=sizes is not None,
        TILE=tile,
        REST=kernel_call.block(rest, tile) if rest else 0,
        num_warps=1,
        maxnreg=72 if sizes else None,  # or too few programs run at a time
    )
    return (out, lse, chosen, kept, tops) if sizes else (out, lse, chosen)


def logits_gradient(
    call: KernelCall, soft: Tensor, lse: Tensor, grad: Tensor, *kept: Tensor
) -> Tensor:
    """Shape: soft, lse, grad (R, B, K) -> (R, K, D)."""
    n_runs, n_rows, n_nodes, n_features = call.shape
    block = kernel_call.block(n_features, kept_weights.TILE if kept else 64)
    blocks, quads = cdiv(n_features, block), cdiv(n_nodes, 4)
    # The rows are divided as well, and the parts summed, to have enough programs.
    programs = blocks * quads * n_runs
    if kept:
        n_parts = min(max(4, 16 * kernel_call.PROGRAMS // programs), n_rows, 16)
    else:
        n_parts = min(max(1, 24 * kernel_call.PROGRAMS // programs), n_rows, 8)
    parts = call.logits.new_empty(n_parts, *call.logits.shape)
    grid = blocks, quads * n_runs, n_parts
    shared = soft, lse, grad, parts, n_rows, n_nodes, n_features
    if not kept:
        launch(
            rows_gradient_triton.logits_gradient_rows,
            grid,
            call.logits,
            call.rows,
            call.temperature,
            *call.counter.arguments,
            *shared,
            cdiv(n_rows, n_parts),
            BLOCK=block,
            num_warps=1,
        )
    else:
        launch(
            kept_weights_triton.logits_gradient_kept,
            grid,
            *kept,
            call.rows,
            call.temperature,
            *shared,
            TILE=block,
            num_warps=1,
        )
    if n_parts == 1:
        return parts[0]
    total = torch.empty_like(call.logits)
    launch(
        rows_gradient_triton.sum_parts,
        (cdiv(total.numel(), _SUMMED),),
        parts,
        total,
        total.numel(),
        N_PARTS=n_parts,
        BLOCK=_SUMMED,
    )
    return total


def rows_gradient(call: KernelCall, lse: Tensor, grad: Tensor) -> Tensor:
    """Shape: lse, grad (R, B, K) -> (B, D)."""
    _, n_rows, _, n_features = call.shape
    grad_rows = torch.empty_like(call.rows)
    block = kernel_call.block(n_features, 128)
    launch(
        rows_gradient_triton.rows_gradient_rows,
        (cdiv(n_features, block), n_rows),
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
