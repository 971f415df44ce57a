"""The kernel that draws K of D features and solves for their inclusion probabilities.

One program per draw finds the K-th largest of θ + noise by bisection over the 32 bits of its
representation, two bits at a time, and writes the mask of the K largest. One more program per run
finds τ with Σ_d σ(θ_d + τ) = K by Newton's method, kept inside a shrinking interval.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous

_LOWEST = tl.constexpr(-(2**31))
_NEWTON_STEPS = tl.constexpr(20)


@triton.jit
def draw(
    theta,
    counts,
    bits,
    masks,
    probabilities,
    n_features,
    GUMBEL: tl.constexpr,
    ONE_BLOCK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Draw, and in the last program of a run solve for its probabilities.

    ``bits`` is overwritten. Shape: theta, probabilities (R, D); counts (R,); bits, masks (R, n, D).
    """
    wait_for_previous()
    run, number, n_draws = tl.program_id(1), tl.program_id(0), tl.num_programs(0) - 1
    own, wanted = theta + run.to(tl.int64) * n_features, tl.load(counts + run)
    if number == n_draws:
        out = probabilities + run.to(tl.int64) * n_features
        _solve(own, wanted, out, n_features, BLOCK)
    else:
        index = (run * n_draws + number).to(tl.int64) * n_features
        if ONE_BLOCK:
            _draw_small(own, wanted, bits + index, masks + index, n_features, GUMBEL, BLOCK)
        else:
            _draw_large(own, wanted, bits + index, masks + index, n_features, GUMBEL, BLOCK)


@triton.jit
def _draw_small(theta, wanted, bits, mask, n_features, GUMBEL: tl.constexpr, BLOCK: tl.constexpr):
    """Draw among features that fit into one block."""
    feature = tl.arange(0, BLOCK)
    inside = feature < n_features
    key = _keys(theta, bits, feature, inside, GUMBEL)
    lowest = tl.full((), _LOWEST, tl.int64)
    for i in range(16):
        step = tl.full((), 1, tl.int64) << (30 - 2 * i)
        passed = tl.full((), 0, tl.int64)
        for part in tl.static_range(1, 4):
            n = tl.sum(((key >= (lowest + part * step).to(tl.int32)) & inside).to(tl.int32), 0)
            passed += (n >= wanted).to(tl.int64)
        lowest += passed * step
    limit = lowest.to(tl.int32)
    above, tie = (key > limit) & inside, (key == limit) & inside
    left = wanted - tl.sum(above.to(tl.int32), 0)
    chosen = above | (tie & (tl.cumsum(tie.to(tl.int32), 0) <= left))
    value = tl.load(theta + feature, inside, 0.0)
    # The second term is zero, or NaN where θ is, so that divergence is noticed.
    tl.store(mask + feature, chosen.to(tl.float32) + (value - value), inside)


@triton.jit
def _draw_large(theta, wanted, bits, mask, n_features, GUMBEL: tl.constexpr, BLOCK: tl.constexpr):
    """Draw among any number of features, with the keys in place of the bits."""
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        tl.store(bits + feature, _keys(theta, bits, feature, inside, GUMBEL), inside)
    tl.debug_barrier()
    lowest = tl.full((), _LOWEST, tl.int64)
    for i in range(16):
        step = tl.full((), 1, tl.int64) << (30 - 2 * i)
        low1, low2 = (lowest + step).to(tl.int32), (lowest + 2 * step).to(tl.int32)
        low3 = (lowest + 3 * step).to(tl.int32)
        n1, n2 = tl.zeros((BLOCK,), tl.int32), tl.zeros((BLOCK,), tl.int32)
        n3 = tl.zeros((BLOCK,), tl.int32)
        for start in range(0, n_features, BLOCK):
            feature = start + tl.arange(0, BLOCK)
            inside = feature < n_features
            key = tl.load(bits + feature, inside, _LOWEST)
            n1 += ((key >= low1) & inside).to(tl.int32)
            n2 += ((key >= low2) & inside).to(tl.int32)
            n3 += ((key >= low3) & inside).to(tl.int32)
        lowest += step * (tl.sum(n1, 0) >= wanted).to(tl.int64)
        lowest += step * (tl.sum(n2, 0) >= wanted).to(tl.int64)
        lowest += step * (tl.sum(n3, 0) >= wanted).to(tl.int64)
    limit = lowest.to(tl.int32)
    n_above = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        key = tl.load(bits + feature, inside, _LOWEST)
        n_above += ((key > limit) & inside).to(tl.int32)
    left = wanted - tl.sum(n_above, 0)
    n_ties = tl.full((), 0, tl.int32)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        key = tl.load(bits + feature, inside, _LOWEST)
        tie = (key == limit) & inside
        place = n_ties + tl.cumsum(tie.to(tl.int32), 0)
        chosen = (key > limit) | (tie & (place <= left))
        value = tl.load(theta + feature, inside, 0.0)
        tl.store(mask + feature, chosen.to(tl.float32) + (value - value), inside)
        n_ties += tl.sum(tie.to(tl.int32), 0)


@triton.jit
def _keys(theta, bits, feature, inside, GUMBEL: tl.constexpr):
    """Return integers in the order of θ + noise."""
    middle = tl.load(bits + feature, inside, 0).to(tl.float32) + 0.5
    w = tl.abs(middle) * 2.3283064365386963e-10
    size = tl.log(1.0 - w)  # −E in the half of large Gumbel numbers
    if GUMBEL:
        # log(1 − w) is −w − w²/2 − … to float32 precision for small w.
        size = tl.where(w < 1e-3, -w * (1.0 + w * (0.5 + w * 0.3333333)), size)
        noise = -tl.log(-tl.where(middle > 0, size, tl.log(w)))
    else:
        size -= tl.log(w)
        noise = tl.where(middle > 0, size, -size)
    value = tl.load(theta + feature, inside, 0.0) + noise
    key = value.to(tl.int32, bitcast=True)
    return key ^ ((key >> 31) & 0x7FFFFFFF)


@triton.jit
def _solve(theta, wanted, out, n_features, BLOCK: tl.constexpr):
    """Write σ(θ + τ), which sum to the wanted number."""
    smallest = tl.full((BLOCK,), float("inf"), tl.float32)
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        value = tl.load(theta + feature, inside, 0.0)
        smallest = tl.minimum(smallest, tl.where(inside, value, float("inf")))
        largest = tl.maximum(largest, tl.where(inside, value, float("-inf")))
    share = tl.minimum(tl.maximum(wanted / n_features, 1e-7), 1 - 1e-7)
    level = tl.log(share) - tl.log(1.0 - share)
    low, high = level - tl.max(largest, 0), level - tl.min(smallest, 0)
    shift = (low + high) / 2
    for _ in range(_NEWTON_STEPS):
        sums = tl.zeros((BLOCK,), tl.float32)
        slopes = tl.zeros((BLOCK,), tl.float32)
        for start in range(0, n_features, BLOCK):
            feature = start + tl.arange(0, BLOCK)
            value = tl.load(theta + feature, feature < n_features, float("-inf"))
            at = tl.sigmoid(value + shift)
            sums += at
            slopes += at * (1.0 - at)
        excess = tl.sum(sums, 0) - wanted
        low, high = tl.where(excess > 0, low, shift), tl.where(excess > 0, shift, high)
        newton = shift - excess / tl.maximum(tl.sum(slopes, 0), 1e-30)
        within = (newton > low) & (newton < high)
        shift = tl.where(within, newton, (low + high) / 2)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        tl.store(out + feature, tl.sigmoid(tl.load(theta + feature, inside, 0.0) + shift), inside)
