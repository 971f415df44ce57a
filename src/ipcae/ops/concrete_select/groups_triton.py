"""Selection with noise samples shared by groups of rows.

The rows of a group are multiplied by their sample on the tensor cores; the sample exists only in
registers.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.noise_triton import scores
from ipcae.ops.fast_math_triton import fast_exp2, fast_log2, product
from ipcae.runs.bits_triton import four_words

LOWEST = tl.constexpr(-1e38)  # below every score, and finite, so that differences are not NaN


@triton.jit
def tile_scores(
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
    NODES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Scores of a tile of nodes and features in one draw; −∞ outside the data."""
    quad = first_node // 4 + tl.arange(0, NODES // 4)[:, None]
    columns = feature[None, :] + tl.zeros_like(quad)
    counter = number * ((n_nodes + 3) // 4) + quad + tl.zeros_like(columns)
    w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, columns, counter)
    words = tl.join(tl.join(w0, w1), tl.join(w2, w3))
    words = tl.reshape(tl.permute(words, (0, 3, 2, 1)), (NODES, BLOCK))
    node = first_node + tl.arange(0, NODES)[:, None]
    inside = (node < n_nodes) & (feature < n_features)[None, :]
    index = (run * n_nodes + node).to(tl.int64) * n_features + feature[None, :]
    own = tl.load(logits + index, inside, float("-inf"))
    return scores(own, words, inverse)


@triton.jit(do_not_specialize=["offset", "draw"])
def select_groups(
    logits,
    rows,
    temperature,
    seeds,
    step,
    offset,
    draw,
    out,
    largest_out,
    total_out,
    chosen_out,
    n_rows,
    n_nodes,
    n_features,
    n_draws,
    group,
    chunk,
    HARD: tl.constexpr,
    ROWS: tl.constexpr,
    NODES: tl.constexpr,
    BLOCK: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """One program applies some nodes to the rows of a group, for a chunk of the features.

    It computes a running softmax over the chunk; ``join_chunks`` combines the chunks.
    Shape: out (chunks, R, B, K); largest_out, total_out, chosen_out (chunks, R, n, K).
    """
    wait_for_previous()
    part = tl.program_id(0)
    first_node = tl.program_id(1) * NODES
    node = first_node + tl.arange(0, NODES)
    row_tiles = (group + ROWS - 1) // ROWS
    tile = tl.program_id(2) % row_tiles
    number = (tl.program_id(2) // row_tiles) % n_draws
    run = tl.program_id(2) // row_tiles // n_draws
    n_runs = tl.num_programs(2) // row_tiles // n_draws
    inverse = 1.0 / tl.load(temperature)
    row = number * group + tile * ROWS + tl.arange(0, ROWS)
    in_group = (row < n_rows) & (row < (number + 1) * group)

    largest = tl.full((NODES,), LOWEST, tl.float32)
    total = tl.zeros((NODES,), tl.float32)
    chosen = tl.zeros((NODES,), tl.int32)
    sums = tl.zeros((ROWS, NODES), tl.float32)
    for start in range(part * chunk, min((part + 1) * chunk, n_features), BLOCK):
        feature = start + tl.arange(0, BLOCK)
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
        top = tl.max(score, 1)
        if HARD:
            first = tl.where(score == top[:, None], feature[None, :], 2147483647)
            chosen = tl.where(top > largest, tl.min(first, 1), chosen)
        top = tl.maximum(top, largest)
        weight = fast_exp2(score - top[:, None])
        scale = fast_exp2(largest - top)
        total = total * scale + tl.sum(weight, 1)
        largest = top
        index = row[:, None].to(tl.int64) * n_features + feature[None, :]
        values = tl.load(rows + index, in_group[:, None] & (feature < n_features)[None, :], 0.0)
        sums = sums * scale[None, :] + product(values, tl.trans(weight), PRECISION)
    valid = node < n_nodes
    at = ((part * n_runs + run).to(tl.int64) * n_rows + row[:, None]) * n_nodes + node[None, :]
    tl.store(out + at, sums, in_group[:, None] & valid[None, :])
    if tile == 0:
        at_node = ((part * n_runs + run) * n_draws + number).to(tl.int64) * n_nodes + node
        tl.store(largest_out + at_node, largest, valid)
        tl.store(total_out + at_node, total, valid)
        if HARD:
            tl.store(chosen_out + at_node, chosen, valid)


@triton.jit
def join_chunks(
    parts,
    largest,
    total,
    chosen,
    out,
    lse,
    chosen_out,
    n_runs,
    n_rows,
    n_nodes,
    n_draws,
    group,
    n_parts,
    HARD: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Combine the chunks of the features.

    Shape: parts, largest, total, chosen as written by :func:`select_groups`;
    out (R, B, K); lse, chosen_out (R, n, K).
    """
    wait_for_previous()
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    size = n_runs * n_rows * n_nodes
    inside = at < size
    node = at % n_nodes
    row = (at // n_nodes) % n_rows
    run = at // n_nodes // n_rows
    sample = (run * n_draws + row // group) * n_nodes + node
    n_samples = n_runs * n_draws * n_nodes
    top = tl.full((BLOCK,), LOWEST, tl.float32)
    best = tl.zeros((BLOCK,), tl.int32)
    for part in tl.range(0, n_parts, loop_unroll_factor=8):
        own = tl.load(largest + part * n_samples + sample, inside, LOWEST)
        if HARD:
            winner = tl.load(chosen + part * n_samples + sample, inside, 0)
            best = tl.where(own > top, winner, best)
        top = tl.maximum(top, own)
    whole = tl.zeros((BLOCK,), tl.float32)
    value = tl.zeros((BLOCK,), tl.float32)
    for part in tl.range(0, n_parts, loop_unroll_factor=8):
        scale = fast_exp2(tl.load(largest + part * n_samples + sample, inside, LOWEST) - top)
        whole += scale * tl.load(total + part * n_samples + sample, inside, 0.0)
        value += scale * tl.load(parts + tl.cast(part, tl.int64) * size + at, inside, 0.0)
    tl.store(out + at, value / whole, inside)
    leads = inside & (row % group == 0)
    tl.store(lse + sample, top + fast_log2(whole), leads)
    if HARD:
        tl.store(chosen_out + sample, best, leads)
