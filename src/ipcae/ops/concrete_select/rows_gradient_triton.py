"""Gradients of the selection with one noise sample per row, which is drawn again."""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.concrete_select.noise_triton import scores
from ipcae.ops.fast_math_triton import fast_exp2
from ipcae.runs.bits_triton import four_words


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
):
    """One program sums the gradients of some rows for four nodes and a block of features.

    Shape: out, lse, grad (R, B, K); grad_logits (parts of the rows, R, K, D).
    """
    wait_for_previous()
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
def sum_parts(parts, out, size, N_PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """Sum the parts of a gradient. Shape: parts (n, size); out (size,)."""
    wait_for_previous()
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
):
    """One program sums the gradients of all runs and nodes for one row and a block of features.

    Shape: lse, grad (R, B, K); grad_rows (B, D).
    """
    wait_for_previous()
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
