"""Kernels for one noise sample per row.

Without shared samples there is no matrix product; most of the time goes into random numbers and
exponentials.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.noise_triton import scores, unscaled_scores
from ipcae.ops.fast_math_triton import fast_exp2, fast_log2
from ipcae.runs.bits_triton import four_words

LOWEST = tl.constexpr(-1e38)  # below every score, and finite, so that differences are not NaN
LOWEST_UNSCALED = tl.constexpr(-1e25)  # the same, also after division by a temperature


@triton.jit
def _weights(
    logits,
    word,
    feature,
    inside,
    inverse,
    largest,
    chosen,
    kept,
    top_out,
    HARD: tl.constexpr,
    KEEP: tl.constexpr,
):
    """Return 2^(score - top) of a tile of features, with ``top`` the largest score so far.

    Also the factor for earlier sums, the new ``top`` and the argmax.
    """
    score = unscaled_scores(tl.load(logits + feature, inside, float("-inf")), word)
    largest_here = tl.max(score, 0)
    top = tl.maximum(largest_here, largest)
    scaled = top * inverse
    weight = fast_exp2(score * inverse - scaled)
    if HARD:
        first = tl.min(tl.where(score == largest_here, feature, 2147483647), 0)
        chosen = tl.where(largest_here > largest, first, chosen)
    if KEEP:
        tl.store(kept, weight.to(tl.float16), inside)
        tl.store(top_out, scaled)
    return weight, fast_exp2((largest - top) * inverse), top, chosen


@triton.jit
def _finish(
    largest, inverse, total, sum_of, chosen, out, lse, chosen_out, exists, HARD: tl.constexpr
):
    """Store the selected value, log₂ Σ 2^score, and the argmax of the scores."""
    tl.store(out, sum_of / total, exists)
    tl.store(lse, largest * inverse + fast_log2(total), exists)
    if HARD:
        tl.store(chosen_out, chosen, exists)


@triton.jit(do_not_specialize=["offset", "draw"])
def select_rows(
    logits,
    rows,
    temperature,
    seeds,
    step,
    offset,
    draw,
    out,
    lse,
    chosen,
    kept,
    tops,
    n_rows,
    n_nodes,
    n_features,
    HARD: tl.constexpr,
    KEEP: tl.constexpr,
    TILE: tl.constexpr,
    REST: tl.constexpr,
    EARLY: tl.constexpr = False,
):
    """One program applies four nodes of one run to one row, a tile of the features at a time.

    With ``KEEP``, it also stores the weights of the features, relative to the largest score of
    their tile and those before.
    Shape: logits (R, K, D); rows (B, D); out, lse, chosen (R, B, K); kept (B, R, ⌈K/4⌉, tiles,
    4, TILE); tops (B, R, ⌈K/4⌉, tiles, 4).
    """
    wait_for_previous(EARLY)
    n_quads = (n_nodes + 3) // 4
    quad = tl.program_id(0) % n_quads
    n_runs = tl.num_programs(0) // n_quads // n_rows
    run = (tl.program_id(0) // n_quads) % n_runs
    row = tl.program_id(0) // n_quads // n_runs
    inverse = 1.0 / tl.load(temperature)
    node, number = quad * 4, row * n_quads + quad
    # Nodes that do not exist repeat the last one, and are not stored.
    last = n_nodes - 1 - node
    width = tl.cast(n_features, tl.int64)
    l0 = logits + (run * n_nodes + node).to(tl.int64) * width
    l1, l2, l3 = (
        l0 + tl.minimum(1, last) * width,
        l0 + tl.minimum(2, last) * width,
        l0 + tl.minimum(3, last) * width,
    )
    row_at = rows + row.to(tl.int64) * n_features
    n_tiles = (n_features + TILE - 1) // TILE
    kept_at = kept + tl.program_id(0).to(tl.int64) * n_tiles * (4 * TILE)
    tops_at = tops + tl.program_id(0).to(tl.int64) * n_tiles * 4

    zeros, lowest = tl.zeros((TILE,), tl.float32), tl.full((), LOWEST_UNSCALED, tl.float32)
    m0, s0, a0, h0 = lowest, zeros, zeros, 0
    m1, s1, a1, h1 = lowest, zeros, zeros, 0
    m2, s2, a2, h2 = lowest, zeros, zeros, 0
    m3, s3, a3, h3 = lowest, zeros, zeros, 0
    for tile in range(0, n_features // TILE):
        feature = tile * TILE + tl.arange(0, TILE)
        inside = tl.full((TILE,), True, tl.int1)
        k, t = kept_at + tile * (4 * TILE) + tl.arange(0, TILE), tops_at + tile * 4
        value = tl.load(row_at + feature)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, number)
        w, old, m0, h0 = _weights(l0, w0, feature, inside, inverse, m0, h0, k, t, HARD, KEEP)
        s0, a0 = s0 * old + w, a0 * old + w * value
        w, old, m1, h1 = _weights(
            l1, w1, feature, inside, inverse, m1, h1, k + 1 * TILE, t + 1, HARD, KEEP
        )
        s1, a1 = s1 * old + w, a1 * old + w * value
        w, old, m2, h2 = _weights(
            l2, w2, feature, inside, inverse, m2, h2, k + 2 * TILE, t + 2, HARD, KEEP
        )
        s2, a2 = s2 * old + w, a2 * old + w * value
        w, old, m3, h3 = _weights(
            l3, w3, feature, inside, inverse, m3, h3, k + 3 * TILE, t + 3, HARD, KEEP
        )
        s3, a3 = s3 * old + w, a3 * old + w * value
    s0, a0, s1, a1 = tl.sum(s0, 0), tl.sum(a0, 0), tl.sum(s1, 0), tl.sum(a1, 0)
    s2, a2, s3, a3 = tl.sum(s2, 0), tl.sum(a2, 0), tl.sum(s3, 0), tl.sum(a3, 0)
    if REST > 0:
        tile = n_features // TILE
        feature = tile * TILE + tl.arange(0, REST)
        inside = feature < n_features
        k, t = kept_at + tile * (4 * TILE) + tl.arange(0, REST), tops_at + tile * 4
        value = tl.load(row_at + feature, inside, 0.0)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, number)
        w, old, m0, h0 = _weights(l0, w0, feature, inside, inverse, m0, h0, k, t, HARD, KEEP)
        s0, a0 = s0 * old + tl.sum(w, 0), a0 * old + tl.sum(w * value, 0)
        w, old, m1, h1 = _weights(
            l1, w1, feature, inside, inverse, m1, h1, k + 1 * TILE, t + 1, HARD, KEEP
        )
        s1, a1 = s1 * old + tl.sum(w, 0), a1 * old + tl.sum(w * value, 0)
        w, old, m2, h2 = _weights(
            l2, w2, feature, inside, inverse, m2, h2, k + 2 * TILE, t + 2, HARD, KEEP
        )
        s2, a2 = s2 * old + tl.sum(w, 0), a2 * old + tl.sum(w * value, 0)
        w, old, m3, h3 = _weights(
            l3, w3, feature, inside, inverse, m3, h3, k + 3 * TILE, t + 3, HARD, KEEP
        )
        s3, a3 = s3 * old + tl.sum(w, 0), a3 * old + tl.sum(w * value, 0)
    at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
    e1, e2, e3 = node + 1 < n_nodes, node + 2 < n_nodes, node + 3 < n_nodes
    _finish(m0, inverse, s0, a0, h0, out + at, lse + at, chosen + at, True, HARD)
    _finish(m1, inverse, s1, a1, h1, out + at + 1, lse + at + 1, chosen + at + 1, e1, HARD)
    _finish(m2, inverse, s2, a2, h2, out + at + 2, lse + at + 2, chosen + at + 2, e2, HARD)
    _finish(m3, inverse, s3, a3, h3, out + at + 3, lse + at + 3, chosen + at + 3, e3, HARD)


@triton.jit
def _share(score, value, lse, grad, out, at, exists):
    """One row's part of the gradient: s (x − m·x) times the gradient of the selected value."""
    above = tl.load(grad + at, exists)
    from_mean = value * above - tl.load(out + at, exists) * above
    return fast_exp2(score - tl.load(lse + at, exists)) * from_mean


@triton.jit(do_not_specialize=["offset", "draw"])
def logits_gradient_rows(
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
    rows_each,
    BLOCK: tl.constexpr,
    EARLY: tl.constexpr = False,
):
    """One program sums the gradients of some rows for four nodes and a block of features.

    Shape: out, lse, grad (R, B, K); grad_logits (parts of the rows, R, K, D).
    """
    wait_for_previous(EARLY)
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n_quads = (n_nodes + 3) // 4
    quad, run = tl.program_id(1) % n_quads, tl.program_id(1) // n_quads
    n_runs = tl.num_programs(1) // n_quads
    part = tl.program_id(2)
    inverse = 1.0 / tl.load(temperature)
    inside = feature < n_features
    node = quad * 4
    first = logits + (run * n_nodes + node).to(tl.int64) * n_features + feature
    has1, has2, has3 = node + 1 < n_nodes, node + 2 < n_nodes, node + 3 < n_nodes
    # Values of nodes and features that do not exist are not stored.
    l0 = tl.load(first, inside)
    l1 = tl.load(first + n_features, inside & has1)
    l2 = tl.load(first + 2 * n_features, inside & has2)
    l3 = tl.load(first + 3 * n_features, inside & has3)
    sum0 = tl.zeros((BLOCK,), tl.float32)
    sum1, sum2, sum3 = sum0, sum0, sum0
    for row in range(part * rows_each, min((part + 1) * rows_each, n_rows)):
        value = tl.load(rows + tl.cast(row, tl.int64) * n_features + feature, inside)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, row * n_quads + quad)
        at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
        sum0 += _share(scores(l0, w0, inverse), value, lse, grad, out, at, True)
        sum1 += _share(scores(l1, w1, inverse), value, lse, grad, out, at + 1, has1)
        sum2 += _share(scores(l2, w2, inverse), value, lse, grad, out, at + 2, has2)
        sum3 += _share(scores(l3, w3, inverse), value, lse, grad, out, at + 3, has3)
    index = grad_logits + ((part * n_runs + run) * n_nodes + node).to(tl.int64) * n_features
    tl.store(index + feature, sum0 * inverse, inside)
    tl.store(index + n_features + feature, sum1 * inverse, inside & has1)
    tl.store(index + 2 * n_features + feature, sum2 * inverse, inside & has2)
    tl.store(index + 3 * n_features + feature, sum3 * inverse, inside & has3)


@triton.jit
def sum_parts(
    parts, out, size, N_PARTS: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr = False
):
    """Sum the parts of a gradient. Shape: parts (n, size); out (size,)."""
    wait_for_previous(EARLY)
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < size
    total = tl.zeros((BLOCK,), tl.float32)
    for part in tl.static_range(N_PARTS):
        total += tl.load(parts + tl.cast(part, tl.int64) * size + index, inside, 0.0)
    tl.store(out + index, total, inside)


@triton.jit(do_not_specialize=["offset", "draw"])
def rows_gradient_rows(
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
    BLOCK: tl.constexpr,
    EARLY: tl.constexpr = False,
):
    """One program sums the gradients of all runs and nodes for one row and a block of features.

    Shape: lse, grad (R, B, K); grad_rows (B, D).
    """
    wait_for_previous(EARLY)
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1)
    n_quads = (n_nodes + 3) // 4
    inverse = 1.0 / tl.load(temperature)
    inside = feature < n_features
    total = tl.zeros((BLOCK,), tl.float32)
    for number in range(n_runs * n_quads):
        run, quad = number // n_quads, number % n_quads
        words = four_words(seeds, step, offset, draw, run, feature, row * n_quads + quad)
        for i in tl.static_range(4):
            node = quad * 4 + i
            valid = node < n_nodes
            index = tl.cast(run * n_nodes + node, tl.int64) * n_features + feature
            score = scores(tl.load(logits + index, inside & valid, 0.0), words[i], inverse)
            at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
            weight = fast_exp2(score - tl.load(lse + at, valid, float("inf")))
            total += weight * tl.load(grad + at, valid, 0.0)
    tl.store(grad_rows + row.to(tl.int64) * n_features + feature, total, inside)
