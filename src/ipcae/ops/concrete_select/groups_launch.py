"""Launches of the kernels for noise samples shared by groups of rows."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.kernel_launch import cdiv, launch, next_power_of_2
from ipcae.ops.concrete_select import groups_gradient_triton, groups_triton, kernel_call
from ipcae.ops.concrete_select.kernel_call import KernelCall

_NODES = 16  # smallest tile of the tensor cores


def forward(call: KernelCall, *, keep: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the selected values, log₂ Σ 2^score and the selected features.

    Nothing else is kept for the backward pass: the noise of a few samples is quickly drawn again.
    Shape: (R, B, K), then (R, n, K) twice.
    """
    n_runs, n_rows, n_nodes, n_features = call.shape
    row_tile, row_tiles = _row_tiles(call.group)
    nodes = _node_tile(n_nodes)
    node_tiles = cdiv(n_nodes, nodes)
    block = kernel_call.block(n_features, 32 if row_tile < 64 else 64)
    others = n_runs * call.n_draws * row_tiles * node_tiles
    blocks = cdiv(n_features, block)
    n_parts = min(max(1, kernel_call.PROGRAMS // others), blocks)
    chunk = cdiv(blocks, n_parts) * block
    n_parts = cdiv(n_features, chunk)
    parts = call.logits.new_empty(n_parts, n_runs, n_rows, n_nodes)
    largest = call.logits.new_empty(n_parts, n_runs, call.n_draws, n_nodes)
    total, chosen = torch.empty_like(largest), call.winners(*largest.shape)
    launch(
        groups_triton.select_groups,
        (n_parts, node_tiles, n_runs * call.n_draws * row_tiles),
        call.logits,
        call.rows,
        call.temperature,
        *call.counter.arguments,
        parts,
        largest,
        total,
        chosen,
        n_rows,
        n_nodes,
        n_features,
        call.n_draws,
        call.group,
        chunk,
        HARD=call.hard,
        ROWS=row_tile,
        NODES=nodes,
        BLOCK=block,
        PRECISION=call.precision,
        num_warps=4 if row_tile < 64 else 8,
    )
    out = call.logits.new_empty(n_runs, n_rows, n_nodes)
    lse = call.logits.new_empty(n_runs, call.n_draws, n_nodes)
    winner = call.winners(*lse.shape)
    launch(
        groups_triton.join_chunks,
        (cdiv(out.numel(), 256),),
        parts,
        largest,
        total,
        chosen,
        out,
        lse,
        winner,
        n_runs,
        n_rows,
        n_nodes,
        call.n_draws,
        call.group,
        n_parts,
        HARD=call.hard,
        BLOCK=256,
    )
    return out, lse, winner


def logits_gradient(call: KernelCall, soft: Tensor, lse: Tensor, grad: Tensor) -> Tensor:
    """Shape: soft, grad (R, B, K); lse (R, n, K) -> (R, K, D)."""
    n_runs, n_rows, n_nodes, n_features = call.shape
    grad_logits = torch.empty_like(call.logits)
    block = kernel_call.block(n_features, 64)
    tile, nodes, warps = _row_tiles(call.group)[0], _NODES, 4
    if call.group >= 64:
        nodes = _node_tile(n_nodes)
        tile, warps = 32, nodes // 8
        programs = cdiv(n_features, block) * cdiv(n_nodes, nodes) * n_runs
        block = block if programs >= kernel_call.PROGRAMS // 4 else 16
    launch(
        groups_gradient_triton.logits_gradient_groups,
        (cdiv(n_features, block), cdiv(n_nodes, nodes), n_runs),
        call.logits,
        call.rows,
        call.temperature,
        *call.counter.arguments,
        soft,
        lse,
        grad,
        grad_logits,
        n_rows,
        n_nodes,
        n_features,
        call.n_draws,
        call.group,
        ROWS=tile,
        NODES=nodes,
        BLOCK=block,
        PRECISION=call.precision,
        num_warps=warps,
    )
    return grad_logits


def rows_gradient(call: KernelCall, lse: Tensor, grad: Tensor) -> Tensor:
    """Shape: lse (R, n, K); grad (R, B, K) -> (B, D)."""
    n_features = call.shape[-1]
    grad_rows = torch.empty_like(call.rows)
    block = kernel_call.block(n_features, 64)
    row_tile, row_tiles = _row_tiles(call.group)
    launch(
        groups_gradient_triton.rows_gradient_groups,
        (cdiv(n_features, block), call.n_draws * row_tiles),
        call.logits,
        call.temperature,
        *call.counter.arguments,
        lse,
        grad,
        grad_rows,
        *call.shape,
        call.n_draws,
        call.group,
        ROWS=row_tile,
        NODES=_NODES,
        BLOCK=block,
        PRECISION=call.precision,
    )
    return grad_rows


def _node_tile(n_nodes: int) -> int:
    return min(64, max(_NODES, next_power_of_2(n_nodes)))


def _row_tiles(group: int) -> tuple[int, int]:
    tile = min(max(next_power_of_2(group), 16), 128)
    return tile, cdiv(group, tile)
