"""Kernels for a draw of noise per row: no two rows share a sample, so there is no product to speak
of, and the random numbers and the exponentials are the cost.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.ops.concrete_select.noise_triton import scores
from ipcae.ops.fast_math_triton import fast_exp2, fast_log2
from ipcae.runs.bits_triton import four_words

LOWEST = tl.constexpr(-1e38)  # below every score, and finite: its difference to −∞ is no NaN


@triton.jit
def _take(score, value, feature, largest, total, sum_of, chosen):
    """Add a score to every lane's running softmax, with one exponential."""
    higher = score > largest
    ratio = fast_exp2(-tl.abs(score - largest))
    old, new = tl.where(higher, ratio, 1.0), tl.where(higher, 1.0, ratio)
    total = total * old + new
    sum_of = sum_of * old + new * value
    return tl.maximum(score, largest), total, sum_of, tl.where(higher, feature, chosen)


@triton.jit
def _finish(largest, total, sum_of, chosen, out, lse, chosen_out, inside, HARD: tl.constexpr):
    """Join the lanes: the selected value, log₂ Σ 2^score, and where the largest score is."""
    top = tl.max(largest, 0)
    scale = fast_exp2(largest - top)
    total = tl.sum(total * scale, 0)
    tl.store(out, tl.sum(sum_of * scale, 0) / total, inside)
    tl.store(lse, top + fast_log2(total), inside)
    if HARD:
        tl.store(chosen_out, tl.min(tl.where(largest == top, chosen, 2147483647), 0), inside)


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
    BLOCK: tl.constexpr,
):
    """One program reads one row through four nodes of one run.

    Shape: logits (R, K, D); rows (B, D); out, lse, chosen (R, B, K).
    """
    n_quads = (n_nodes + 3) // 4
    quad = tl.program_id(0) % n_quads
    row = (tl.program_id(0) // n_quads) % n_rows
    run = tl.program_id(0) // n_quads // n_rows
    inverse = 1.0 / tl.load(temperature)
    node = quad * 4
    first = logits + (run * n_nodes + node).to(tl.int64) * n_features
    row_at = rows + row.to(tl.int64) * n_features

    zeros = tl.zeros((BLOCK,), tl.float32)
    none = tl.zeros((BLOCK,), tl.int32)
    m0, s0, a0, h0 = zeros + LOWEST, zeros, zeros, none
    m1, s1, a1, h1 = zeros + LOWEST, zeros, zeros, none
    m2, s2, a2, h2 = zeros + LOWEST, zeros, zeros, none
    m3, s3, a3, h3 = zeros + LOWEST, zeros, zeros, none
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        value = tl.load(row_at + feature, inside, 0.0)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, row * n_quads + quad)
        l0 = tl.load(first + feature, inside, float("-inf"))
        l1 = tl.load(first + n_features + feature, inside & (node + 1 < n_nodes), float("-inf"))
        l2 = tl.load(first + 2 * n_features + feature, inside & (node + 2 < n_nodes), float("-inf"))
        l3 = tl.load(first + 3 * n_features + feature, inside & (node + 3 < n_nodes), float("-inf"))
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
def _share(score, value, lse, grad, out, at, inside):
    """One row's part of the gradient: s (x − m·x) times the gradient of what was read."""
    weight = fast_exp2(score - tl.load(lse + at, inside, float("inf")))
    return weight * (value - tl.load(out + at, inside, 0.0)) * tl.load(grad + at, inside, 0.0)


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
):
    """One program sums some rows' gradients for four nodes and a block of features.

    Shape: out, lse, grad (R, B, K); grad_logits (parts of the rows, R, K, D).
    """
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n_quads = (n_nodes + 3) // 4
    quad, run = tl.program_id(1) % n_quads, tl.program_id(1) // n_quads
    n_runs = tl.num_programs(1) // n_quads
    part = tl.program_id(2)
    inverse = 1.0 / tl.load(temperature)
    inside = feature < n_features
    node = quad * 4
    has1, has2, has3 = node + 1 < n_nodes, node + 2 < n_nodes, node + 3 < n_nodes
    first = logits + (run * n_nodes + node).to(tl.int64) * n_features + feature
    l0 = tl.load(first, inside, 0.0)
    l1 = tl.load(first + n_features, inside & has1, 0.0)
    l2 = tl.load(first + 2 * n_features, inside & has2, 0.0)
    l3 = tl.load(first + 3 * n_features, inside & has3, 0.0)
    sum0 = tl.zeros((BLOCK,), tl.float32)
    sum1, sum2, sum3 = sum0, sum0, sum0
    for row in range(part * rows_each, min((part + 1) * rows_each, n_rows)):
        value = tl.load(rows + tl.cast(row, tl.int64) * n_features + feature, inside, 0.0)
        w0, w1, w2, w3 = four_words(seeds, step, offset, draw, run, feature, row * n_quads + quad)
        at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
        sum0 += _share(scores(l0, w0, inverse), value, lse, grad, out, at, True)
        sum1 += _share(scores(l1, w1, inverse), value, lse, grad, out, at + 1, has1)
        sum2 += _share(scores(l2, w2, inverse), value, lse, grad, out, at + 2, has2)
        sum3 += _share(scores(l3, w3, inverse), value, lse, grad, out, at + 3, has3)
    place = grad_logits + ((part * n_runs + run) * n_nodes + node).to(tl.int64) * n_features
    tl.store(place + feature, sum0 * inverse, inside)
    tl.store(place + n_features + feature, sum1 * inverse, inside & has1)
    tl.store(place + 2 * n_features + feature, sum2 * inverse, inside & has2)
    tl.store(place + 3 * n_features + feature, sum3 * inverse, inside & has3)


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
):
    """One program sums all runs' and nodes' gradients for one row and a block of features.

    Shape: lse, grad (R, B, K); grad_rows (B, D).
    """
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
            place = tl.cast(run * n_nodes + node, tl.int64) * n_features + feature
            score = scores(tl.load(logits + place, inside & valid, 0.0), words[i], inverse)
            at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
            weight = fast_exp2(score - tl.load(lse + at, valid, float("inf")))
            total += weight * tl.load(grad + at, valid, 0.0)
    tl.store(grad_rows + row.to(tl.int64) * n_features + feature, total, inside)
