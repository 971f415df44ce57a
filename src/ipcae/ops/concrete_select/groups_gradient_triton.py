"""Gradients of the selection with noise samples shared by groups of rows."""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.groups_triton import tile_scores
from ipcae.ops.fast_math_triton import fast_exp2, product


@triton.jit(do_not_specialize=["offset", "draw"])
def logits_gradient_groups(
    logits,
    rows,
    temperature,
    seeds,
    step,
    offset,
    draw,
    out,
    lse,
    grad,
    grad_logits,
    n_rows,
    n_nodes,
    n_features,
    n_draws,
    group,
    ROWS: tl.constexpr,
    NODES: tl.constexpr,
    BLOCK: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """One program sums the gradients of all draws for some nodes and a block of features.

    Shape: out, grad (R, B, K); lse (R, n, K); grad_logits (R, K, D).
    """
    wait_for_previous()
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first_node = tl.program_id(1) * NODES
    node = first_node + tl.arange(0, NODES)
    run = tl.program_id(2)
    inverse = 1.0 / tl.load(temperature)
    valid, inside = node < n_nodes, feature < n_features
    result = tl.zeros((NODES, BLOCK), tl.float32)
    for number in range(n_draws):
        sums = tl.zeros((NODES, BLOCK), tl.float32)
        mean = tl.zeros((NODES,), tl.float32)
        for first in range(0, group, ROWS):
            row = number * group + first + tl.arange(0, ROWS)
            in_group = (row < n_rows) & (row < (number + 1) * group)
            at = (run * n_rows + row[None, :]).to(tl.int64) * n_nodes + node[:, None]
            known = in_group[None, :] & valid[:, None]
            gradient = tl.load(grad + at, known, 0.0)
            mean += tl.sum(gradient * tl.load(out + at, known, 0.0), 1)
            index = row[:, None].to(tl.int64) * n_features + feature[None, :]
            values = tl.load(rows + index, in_group[:, None] & inside[None, :], 0.0)
            sums += product(gradient, values, PRECISION)
        score = tile_scores(
            logits,
            inverse,
            seeds,
            step,
            offset,
            draw,
            run,
            number,
            first_node,
            feature,
            n_nodes,
            n_features,
            NODES,
            BLOCK,
        )
        at_node = (run * n_draws + number) * n_nodes + node
        weight = fast_exp2(score - tl.load(lse + at_node, valid, 0.0)[:, None])
        result += weight * (sums - mean[:, None])
    index = (run * n_nodes + node[:, None]).to(tl.int64) * n_features + feature[None, :]
    tl.store(grad_logits + index, result * inverse, valid[:, None] & inside[None, :])


@triton.jit(do_not_specialize=["offset", "draw"])
def rows_gradient_groups(
    logits,
    temperature,
    seeds,
    step,
    offset,
    draw,
    lse,
    grad,
    grad_rows,
    n_runs,
    n_rows,
    n_nodes,
    n_features,
    n_draws,
    group,
    ROWS: tl.constexpr,
    NODES: tl.constexpr,
    BLOCK: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """One program sums the gradients of all runs and nodes for some rows of a group.

    Shape: grad (R, B, K); lse (R, n, K); grad_rows (B, D).
    """
    wait_for_previous()
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row_tiles = (group + ROWS - 1) // ROWS
    tile, number = tl.program_id(1) % row_tiles, tl.program_id(1) // row_tiles
    row = number * group + tile * ROWS + tl.arange(0, ROWS)
    in_group = (row < n_rows) & (row < (number + 1) * group)
    inverse = 1.0 / tl.load(temperature)
    result = tl.zeros((ROWS, BLOCK), tl.float32)
    for run in range(n_runs):
        for first in range(0, n_nodes, NODES):
            node = first + tl.arange(0, NODES)
            valid = node < n_nodes
            score = tile_scores(
                logits,
                inverse,
                seeds,
                step,
                offset,
                draw,
                run,
                number,
                first,
                feature,
                n_nodes,
                n_features,
                NODES,
                BLOCK,
            )
            at_node = (run * n_draws + number) * n_nodes + node
            weight = fast_exp2(score - tl.load(lse + at_node, valid, 0.0)[:, None])
            at = (run * n_rows + row[:, None]).to(tl.int64) * n_nodes + node[None, :]
            gradient = tl.load(grad + at, in_group[:, None] & valid[None, :], 0.0)
            result += product(gradient, weight, PRECISION)
    index = row[:, None].to(tl.int64) * n_features + feature[None, :]
    tl.store(grad_rows + index, result, in_group[:, None] & (feature < n_features)[None, :])
