"""Selection with one noise sample per row.

Without shared samples there is no matrix product; most of the time goes into random numbers and
exponentials.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.noise_triton import unscaled_scores
from ipcae.ops.fast_math_triton import fast_exp2, fast_log2
from ipcae.runs.bits_triton import four_words

# Below every score, and finite even if divided by a temperature, so that differences are not NaN.
LOWEST = tl.constexpr(-1e25)


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
    """Add a tile of features to the running softmax of a node.

    Return 2^(score / T - top / T), where ``top`` is the largest score so far, the factor for the
    sums of the previous tiles, ``top`` and its feature.
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
):
    """One program applies four nodes of one run to one row, a tile of the features at a time.

    With ``KEEP``, it also stores the weights of the features, relative to the largest score of
    their tile and those before.
    Shape: logits (R, K, D); rows (B, D); out, lse, chosen (R, B, K); kept (B, R, ⌈K/4⌉, tiles,
    4, TILE); tops (B, R, ⌈K/4⌉, tiles, 4).
    """
    wait_for_previous()
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
    l1, l2 = l0 + tl.minimum(1, last) * width, l0 + tl.minimum(2, last) * width
    l3 = l0 + tl.minimum(3, last) * width
    row_at = rows + row.to(tl.int64) * n_features
    n_tiles = (n_features + TILE - 1) // TILE
    kept_at = kept + tl.program_id(0).to(tl.int64) * n_tiles * (4 * TILE)
    tops_at = tops + tl.program_id(0).to(tl.int64) * n_tiles * 4

    zeros, lowest = tl.zeros((TILE,), tl.float32), tl.full((), LOWEST, tl.float32)
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
            l1, w1, feature, inside, inverse, m1, h1, k + TILE, t + 1, HARD, KEEP
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
            l1, w1, feature, inside, inverse, m1, h1, k + TILE, t + 1, HARD, KEEP
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
