"""The concrete selection on a GPU: one pass forward, one backward, no noise in memory.

Either kernel family reads the logits and the rows once per use and keeps, besides the selected
values, one number per sample, log₂ Σ 2^score, from which the backward pass restores the softmax.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import launch
from ipcae.ops.concrete_select import groups_triton, rows_triton
from ipcae.ops.concrete_select.reference import group_rows
from ipcae.runs.stream import Place

_LANES = 32  # of a warp, which reads a row by itself
_NODES = 16  # the smallest side of a product on the tensor cores
_PROGRAMS = 264  # two for every multiprocessor of the largest GPUs


def concrete_select(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    draws: int | str,
    place: Place,
    straight_through: bool = False,
    precision: str = "tf32x3",
) -> Tensor:
    """Sample the nodes with the noise at ``place`` and read the rows through them.

    Shape: logits (R, K, D); rows (B, D); temperature () -> (R, B, K).
    """
    n_draws, group = group_rows(len(rows), draws)
    return _Select.apply(
        logits.contiguous(),
        rows.contiguous(),
        temperature,
        place,
        n_draws,
        group,
        straight_through,
        precision,
    )


class _Select(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        rows: Tensor,
        temperature: Tensor,
        place: Place,
        n_draws: int,
        group: int,
        hard: bool,
        precision: str,
    ) -> Tensor:
        forward = _forward_rows if group == 1 else _forward_groups
        soft, lse, chosen = forward(
            logits, rows, temperature, place, n_draws, group, hard, precision
        )
        ctx.save_for_backward(logits, rows, temperature, soft, lse, chosen)
        ctx.rest = place, n_draws, group, hard, precision
        # The second part is zero, or NaN where a logit is: a run that diverges must show it.
        return _read_chosen(rows, chosen, group) + (soft - soft) if hard else soft

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        logits, rows, temperature, soft, lse, chosen = ctx.saved_tensors
        place, n_draws, group, hard, precision = ctx.rest
        grad = grad.contiguous()
        grad_logits = grad_rows = None
        if ctx.needs_input_grad[0]:
            backward = _logits_gradient_rows if group == 1 else _logits_gradient_groups
            grad_logits = backward(
                logits, rows, temperature, place, soft, lse, grad, n_draws, group, precision
            )
        if ctx.needs_input_grad[1]:
            if hard:
                grad_rows = _chosen_gradient(rows, chosen, grad, group)
            else:
                grad_rows = _rows_gradient(
                    logits, rows, temperature, place, lse, grad, n_draws, group, precision
                )
        return grad_logits, grad_rows, None, None, None, None, None, None


def _random(place: Place) -> tuple[Tensor, Tensor, int, int]:
    return place.seeds, place.step, place.offset, place.draw


def _block(n_features: int, largest: int) -> int:
    """Return the block that wastes little of its last step."""
    return min(largest, max(32, triton.next_power_of_2(n_features)))


def _forward_rows(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    place: Place,
    n_draws: int,
    group: int,
    hard: bool,
    precision: str,
) -> tuple[Tensor, Tensor, Tensor]:
    n_runs, n_nodes, n_features = logits.shape
    out = logits.new_empty(n_runs, len(rows), n_nodes)
    lse = torch.empty_like(out)
    chosen = _winners(out.shape, hard, out.device)
    grid = (n_runs * len(rows) * triton.cdiv(n_nodes, 4),)
    launch(
        rows_triton.select_rows,
        grid,
        logits,
        rows,
        temperature,
        *_random(place),
        out,
        lse,
        chosen,
        len(rows),
        n_nodes,
        n_features,
        HARD=hard,
        LANES=_LANES,
        num_warps=1,
    )
    return out, lse, chosen


def _forward_groups(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    place: Place,
    n_draws: int,
    group: int,
    hard: bool,
    precision: str,
) -> tuple[Tensor, Tensor, Tensor]:
    n_runs, n_nodes, n_features = logits.shape
    row_tile, row_tiles = _row_tiles(group)
    nodes = _node_tile(n_nodes)
    node_tiles = triton.cdiv(n_nodes, nodes)
    block = _block(n_features, 32 if row_tile < 64 else 64)
    others = n_runs * n_draws * row_tiles * node_tiles
    blocks = triton.cdiv(n_features, block)
    n_parts = min(max(1, _PROGRAMS // others), blocks)
    chunk = triton.cdiv(blocks, n_parts) * block
    n_parts = triton.cdiv(n_features, chunk)
    parts = logits.new_empty(n_parts, n_runs, len(rows), n_nodes)
    largest = logits.new_empty(n_parts, n_runs, n_draws, n_nodes)
    total = torch.empty_like(largest)
    chosen = torch.empty(largest.shape if hard else (1,), dtype=torch.int32, device=rows.device)
    launch(
        groups_triton.select_groups,
        (n_parts, node_tiles, n_runs * n_draws * row_tiles),
        logits,
        rows,
        temperature,
        *_random(place),
        parts,
        largest,
        total,
        chosen,
        len(rows),
        n_nodes,
        n_features,
        n_draws,
        group,
        chunk,
        HARD=hard,
        ROWS=row_tile,
        NODES=nodes,
        BLOCK=block,
        PRECISION=precision,
        num_warps=4 if row_tile < 64 else 8,
    )
    out = logits.new_empty(n_runs, len(rows), n_nodes)
    lse = logits.new_empty(n_runs, n_draws, n_nodes)
    winner = _winners(lse.shape, hard, rows.device)
    launch(
        groups_triton.join_chunks,
        (triton.cdiv(out.numel(), 256),),
        parts,
        largest,
        total,
        chosen,
        out,
        lse,
        winner,
        n_runs,
        len(rows),
        n_nodes,
        n_draws,
        group,
        n_parts,
        HARD=hard,
        BLOCK=256,
    )
    return out, lse, winner


def _node_tile(n_nodes: int) -> int:
    return min(64, max(_NODES, triton.next_power_of_2(n_nodes)))


def _winners(shape: torch.Size, hard: bool, device: torch.device) -> Tensor:
    """Return where the kernels write the chosen features, if anyone asks for them."""
    if not hard:
        return torch.empty(1, dtype=torch.int32, device=device)
    # Zeros: where nothing is started, while kernels are compiled, they are read all the same.
    return torch.zeros(shape, dtype=torch.int32, device=device)


def _row_tiles(group: int) -> tuple[int, int]:
    tile = min(max(triton.next_power_of_2(group), 16), 128)
    return tile, triton.cdiv(group, tile)


def _logits_gradient_rows(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    place: Place,
    soft: Tensor,
    lse: Tensor,
    grad: Tensor,
    n_draws: int,
    group: int,
    precision: str,
) -> Tensor:
    n_runs, n_nodes, n_features = logits.shape
    block = _block(n_features, 64)
    blocks, quads = triton.cdiv(n_features, block), triton.cdiv(n_nodes, 4)
    # The rows are divided too, and their parts added up afterwards: many small programs.
    n_parts = min(max(1, 24 * _PROGRAMS // (blocks * quads * n_runs)), len(rows), 8)
    parts = logits.new_empty(n_parts, *logits.shape)
    launch(
        rows_triton.logits_gradient_rows,
        (blocks, quads * n_runs, n_parts),
        logits,
        rows,
        temperature,
        *_random(place),
        soft,
        lse,
        grad,
        parts,
        len(rows),
        n_nodes,
        n_features,
        triton.cdiv(len(rows), n_parts),
        BLOCK=block,
        num_warps=1,
    )
    return parts[0] if n_parts == 1 else parts.sum(0)


def _logits_gradient_groups(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    place: Place,
    soft: Tensor,
    lse: Tensor,
    grad: Tensor,
    n_draws: int,
    group: int,
    precision: str,
) -> Tensor:
    n_runs, n_nodes, n_features = logits.shape
    grad_logits = torch.empty_like(logits)
    block, tile, nodes, warps = _block(n_features, 64), _row_tiles(group)[0], _NODES, 4
    if group >= 64:
        nodes = _node_tile(n_nodes)
        tile, warps = 32, nodes // 8
        if triton.cdiv(n_features, block) * triton.cdiv(n_nodes, nodes) * n_runs < _PROGRAMS // 4:
            block = 16
    grid = (triton.cdiv(n_features, block), triton.cdiv(n_nodes, nodes), n_runs)
    launch(
        groups_triton.logits_gradient_groups,
        grid,
        logits,
        rows,
        temperature,
        *_random(place),
        soft,
        lse,
        grad,
        grad_logits,
        len(rows),
        n_nodes,
        n_features,
        n_draws,
        group,
        ROWS=tile,
        NODES=nodes,
        BLOCK=block,
        PRECISION=precision,
        num_warps=warps,
    )
    return grad_logits


def _rows_gradient(
    logits: Tensor,
    rows: Tensor,
    temperature: Tensor,
    place: Place,
    lse: Tensor,
    grad: Tensor,
    n_draws: int,
    group: int,
    precision: str,
) -> Tensor:
    n_runs, n_nodes, n_features = logits.shape
    grad_rows = torch.empty_like(rows)
    sizes = (n_runs, len(rows), n_nodes, n_features)
    common = (logits, temperature, *_random(place), lse, grad, grad_rows, *sizes)
    if group == 1:
        block = _block(n_features, 128)
        grid = (triton.cdiv(n_features, block), len(rows))
        launch(rows_triton.rows_gradient_rows, grid, *common, BLOCK=block)
        return grad_rows
    block = _block(n_features, 64)
    row_tile, row_tiles = _row_tiles(group)
    launch(
        groups_triton.rows_gradient_groups,
        (triton.cdiv(n_features, block), n_draws * row_tiles),
        *common,
        n_draws,
        group,
        ROWS=row_tile,
        NODES=_NODES,
        BLOCK=block,
        PRECISION=precision,
    )
    return grad_rows


def _of_rows(chosen: Tensor, n_rows: int, group: int) -> Tensor:
    """Every row's chosen features. Shape: chosen (R, n, K) -> (R, B, K)."""
    return chosen.long().repeat_interleave(group, dim=1)[:, :n_rows]


def _read_chosen(rows: Tensor, chosen: Tensor, group: int) -> Tensor:
    index = _of_rows(chosen, len(rows), group)
    return rows.expand(len(index), -1, -1).gather(2, index)


def _chosen_gradient(rows: Tensor, chosen: Tensor, grad: Tensor, group: int) -> Tensor:
    index = _of_rows(chosen, len(rows), group)
    each_run = torch.zeros(len(index), *rows.shape, device=rows.device)
    return each_run.scatter_add_(2, index, grad).sum(0)
