"""Gradient of the selection with one noise sample per row, from kept weights."""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous
from ipcae.ops.fast_math_triton import fast_exp2


@triton.jit
def _share(kept, top, lse, grad, out, value, inside, exists):
    """One row's part of the gradient: s (x − m·x) times the gradient of the selected value."""
    weight = tl.load(kept, inside, 0.0).to(tl.float32)
    scale = fast_exp2(tl.load(top) - tl.load(lse, exists, 0.0)) * tl.load(grad, exists, 0.0)
    return weight * (value * scale - tl.load(out, exists, 0.0) * scale)


@triton.jit
def logits_gradient_kept(
    kept,
    tops,
    rows,
    temperature,
    out,
    lse,
    grad,
    grad_logits,
    n_rows,
    n_nodes,
    n_features,
    TILE: tl.constexpr,
):
    """One program sums the gradients of some rows for four nodes and a tile of the features.

    The last rows, which were written last and may still be in the cache, are read first.
    Shape: kept (B, R, ⌈K/4⌉, tiles, 4, TILE); tops (B, R, ⌈K/4⌉, tiles, 4);
    out, lse, grad (R, B, K); grad_logits (parts of the rows, R, K, D).
    """
    wait_for_previous()
    tile, n_tiles = tl.program_id(0), tl.num_programs(0)
    feature = tile * TILE + tl.arange(0, TILE)
    n_quads = (n_nodes + 3) // 4
    quad, run = tl.program_id(1) % n_quads, tl.program_id(1) // n_quads
    n_runs = tl.num_programs(1) // n_quads
    part, n_parts = tl.program_id(2), tl.num_programs(2)
    inverse = 1.0 / tl.load(temperature)
    inside = feature < n_features
    node = quad * 4
    has1, has2, has3 = node + 1 < n_nodes, node + 2 < n_nodes, node + 3 < n_nodes
    sum0 = tl.zeros((TILE,), tl.float32)
    sum1, sum2, sum3 = sum0, sum0, sum0
    for from_end in range(part, n_rows, n_parts):
        row = n_rows - 1 - from_end
        value = tl.load(rows + tl.cast(row, tl.int64) * n_features + feature, inside, 0.0)
        at = tl.cast(run * n_rows + row, tl.int64) * n_nodes + node
        place = tl.cast(row * n_runs + run, tl.int64) * n_quads + quad
        k = kept + (place * n_tiles + tile) * (4 * TILE) + tl.arange(0, TILE)
        t = tops + (place * n_tiles + tile) * 4
        m, g, o = lse + at, grad + at, out + at
        sum0 += _share(k, t, m, g, o, value, inside, True)
        sum1 += _share(k + TILE, t + 1, m + 1, g + 1, o + 1, value, inside, has1)
        sum2 += _share(k + 2 * TILE, t + 2, m + 2, g + 2, o + 2, value, inside, has2)
        sum3 += _share(k + 3 * TILE, t + 3, m + 3, g + 3, o + 3, value, inside, has3)
    index = grad_logits + ((part * n_runs + run) * n_nodes + node).to(tl.int64) * n_features
    tl.store(index + feature, sum0 * inverse, inside)
    tl.store(index + n_features + feature, sum1 * inverse, inside & has1)
    tl.store(index + 2 * n_features + feature, sum2 * inverse, inside & has2)
    tl.store(index + 3 * n_features + feature, sum3 * inverse, inside & has3)
