"""Kernels for one noise sample per row.

Without shared samples there is no matrix product; most of the time goes into random numbers and
exponentials.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.noise_triton import scores
from ipcae.ops.fast_math_triton import fast_exp2, fast_log2
from ipcae.runs.bits_triton import four_words

LOWEST = tl.constexpr(-1e38)  # below every score, and finite, so that differences are not NaN


@triton.jit
def _take(score, value, feature, largest, total, sum_of, chosen):
    """Add a score to the running softmax of each lane."""
    top = tl.maximum(score, largest)
    old, new = fast_exp2(largest - top), fast_exp2(score - top)
    chosen = tl.where(score > largest, feature, chosen)
    return top, total * old + new, sum_of * old + new * value, chosen


@triton.jit
def _two_scores(logits, word, next_word, inverse):
    """Return the scores of each lane's pair of consecutive features."""
    own, next_own = tl.split(tl.load(logits))
    return scores(own, word, inverse), scores(next_own, next_word, inverse)


@triton.jit
def _take_two(score, value, next_score, next_value, feature, largest, total, sum_of, chosen):
    """Add the scores of two consecutive features to the running softmax of each lane."""
    larger = tl.maximum(score, next_score)
    top = tl.maximum(larger, largest)
    old, new, newer = fast_exp2(largest - top), fast_exp2(score - top), fast_exp2(next_score - top)
    winner = tl.where(next_score > score, feature + 1, feature)
    chosen = tl.where(larger > largest, winner, chosen)
    sum_of = sum_of * old + new * value + newer * next_value
    return top, total * old + new + newer, sum_of, chosen


@triton.jit
def _finish(largest, total, sum_of, chosen, out, lse, chosen_out, inside, HARD: tl.constexpr):
    """Reduce over the lanes: the selected value, log₂ Σ 2^score, and the argmax of the scores."""
    top = tl.max(largest, 0)
    scale = fast_exp2(largest - top)
    total = tl.sum(total * scale, 0)
    tl.store(out, tl.sum(sum_of * scale, 0) / total, inside)
    tl.store(lse, top + fast_log2(total), inside)
    if HARD:
        tl.store(chosen_out, tl.min(tl.where(largest == top, chosen, 2147483647), 0), inside)


@triton.jit
def _four_nodes(quad, n_nodes, n_features):
    """Offsets of the other three nodes' logits from the first; missing nodes repeat the last."""
    last = n_nodes - 1 - quad * 4
    second, third, fourth = tl.minimum(1, last), tl.minimum(2, last), tl.minimum(3, last)
    width = tl.cast(n_features, tl.int64)
    return second * width, third * width, fourth * width


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
    n_rows,
    n_nodes,
    n_features,
    HARD: tl.constexpr,
    LANES: tl.constexpr,
    EARLY: tl.constexpr = False,
):
    """One program applies four nodes of one run to one row, two features per lane at a time.

    Shape: logits (R, K, D); rows (B, D); out, lse, chosen (R, B, K).
    """
    wait_for_previous(EARLY)
    n_quads = (n_nodes + 3) // 4
    quad = tl.program_id(0) % n_quads
    row = (tl.program_id(0) // n_quads) % n_rows
    run = tl.program_id(0) // n_quads // n_rows
    inverse = 1.0 / tl.load(temperature)
    node, number = quad * 4, row * n_quads + quad
    first = logits + (run * n_nodes + node).to(tl.int64) * n_features
    second, third, fourth = _four_nodes(quad, n_nodes, n_features)
    row_at = rows + row.to(tl.int64) * n_features

    zeros = tl.zeros((LANES,), tl.float32)
    none = tl.zeros((LANES,), tl.int32)
    m0, s0, a0, h0 = zeros + LOWEST, zeros, zeros, none
    m1, s1, a1, h1 = zeros + LOWEST, zeros, zeros, none
    m2, s2, a2, h2 = zeros + LOWEST, zeros, zeros, none
    m3, s3, a3, h3 = zeros + LOWEST, zeros, zeros, none
    in_pairs = n_features // (2 * LANES) * (2 * LANES)
    for start in range(0, in_pairs, 2 * LANES):
        feature = start + 2 * tl.arange(0, LANES)
        pair = feature[:, None] + tl.arange(0, 2)[None, :]
        value, next_value = tl.split(tl.load(row_at + pair))
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, number)
        v0, v1, v2, v3 = four_words(seeds, step, offset, draw, run, feature + 1, number)
        score, next_score = _two_scores(first + pair, w0, v0, inverse)
        m0, s0, a0, h0 = _take_two(score, value, next_score, next_value, feature, m0, s0, a0, h0)
        score, next_score = _two_scores(first + second + pair, w1, v1, inverse)
        m1, s1, a1, h1 = _take_two(score, value, next_score, next_value, feature, m1, s1, a1, h1)
        score, next_score = _two_scores(first + third + pair, w2, v2, inverse)
        m2, s2, a2, h2 = _take_two(score, value, next_score, next_value, feature, m2, s2, a2, h2)
        score, next_score = _two_scores(first + fourth + pair, w3, v3, inverse)
        m3, s3, a3, h3 = _take_two(score, value, next_score, next_value, feature, m3, s3, a3, h3)
    for start in range(in_pairs, n_features, LANES):
        feature = start + tl.arange(0, LANES)
        inside = feature < n_features
        value = tl.load(row_at + feature, inside, 0.0)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, number)
        l0 = tl.load(first + feature, inside, float("-inf"))
        l1 = tl.load(first + second + feature, inside, float("-inf"))
        l2 = tl.load(first + third + feature, inside, float("-inf"))
        l3 = tl.load(first + fourth + feature, inside, float("-inf"))
        m0, s0, a0, h0 = _take(scores(l0, w0, inverse), value, feature, m0, s0, a0, h0)
        m1, s1, a1, h1 = _take(scores(l1, w1, inverse), value, feature, m1, s1, a1, h1)
        m2, s2, a2, h2 = _take(scores(l2, w2, inverse), value, feature, m2, s2, a2, h2)
        m3, s3, a3, h3 = _take(scores(l3, w3, inverse), value, feature, m3, s3, a3, h3)
    at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
    _finish(m0, s0, a0, h0, out + at, lse + at, chosen + at, True, HARD)
    _finish(m1, s1, a1, h1, out + at + 1, lse + at + 1, chosen + at + 1, node + 1 < n_nodes, HARD)
    _finish(m2, s2, a2, h2, out + at + 2, lse + at + 2, chosen + at + 2, node + 2 < n_nodes, HARD)
    _finish(m3, s3, a3, h3, out + at + 3, lse + at + 3, chosen + at + 3, node + 3 < n_nodes, HARD)


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
