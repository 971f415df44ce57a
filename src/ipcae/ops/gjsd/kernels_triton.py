"""Kernels of the generalized Jensen-Shannon divergence.

With log p = logits - log Σ exp(logits) and m, the mean of the nodes' p, the divergence of a node is
δ = Σ p (log p - log m), and the gradient of the mean divergence is p (log p - log m - δ) / K.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.early_start_triton import wait_for_previous

# Stands for -∞, whose difference from itself is not a number. exp(_LOWEST - x) is 0.
_LOWEST = tl.constexpr(-3e38)


@triton.jit
def log_sums(logits, out, n_features, BLOCK: tl.constexpr):
    """Write log Σ exp(logits) of a node. Shape: logits (R, K, D); out (R, K)."""
    wait_for_previous()
    node = tl.program_id(0).to(tl.int64)
    largest = tl.full((BLOCK,), _LOWEST, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        values = tl.load(logits + node * n_features + feature, feature < n_features, _LOWEST)
        larger = tl.maximum(largest, values)
        total = total * tl.exp(largest - larger) + tl.exp(values - larger)
        largest = larger
    top = tl.max(largest, 0)
    tl.store(out + node, top + tl.log(tl.sum(total * tl.exp(largest - top), 0)))


@triton.jit
def log_mixtures(
    logits,
    log_sums,
    nodes,
    out,
    n_nodes,
    n_features,
    HAS_NODES: tl.constexpr,
    NODES: tl.constexpr,
    FEATURES: tl.constexpr,
):
    """Write the logarithm of the mean probability of some features over the nodes of a run.

    Shape: logits (R, K, D); log_sums, nodes (R, K); out (R, D).
    """
    wait_for_previous()
    feature = tl.program_id(0) * FEATURES + tl.arange(0, FEATURES)
    run = tl.program_id(1).to(tl.int64)
    largest = tl.full((FEATURES,), _LOWEST, tl.float32)
    total = tl.zeros((FEATURES,), tl.float32)
    count = 0.0
    for start in range(0, n_nodes, NODES):
        number = start + tl.arange(0, NODES)
        node = run * n_nodes + number
        included = number < n_nodes
        if HAS_NODES:
            included &= tl.load(nodes + node, included, 0.0) > 0
        count += tl.sum(included.to(tl.float32), 0)
        inside = included[:, None] & (feature < n_features)[None, :]
        values = tl.load(logits + node[:, None] * n_features + feature[None, :], inside, _LOWEST)
        values -= tl.load(log_sums + node, included, 0.0)[:, None]
        larger = tl.maximum(largest, tl.max(values, 0))
        total *= tl.exp(largest - larger)
        total += tl.sum(tl.exp(values - larger[None, :]), 0)
        largest = larger
    log_mean = largest + tl.log(total) - tl.log(count)
    tl.store(out + run * n_features + feature, log_mean, feature < n_features)


@triton.jit
def divergences(
    logits,
    log_sums,
    log_mixture,
    out,
    n_nodes,
    n_features,
    BLOCK: tl.constexpr,
):
    """Write the divergence of a node. Shape: logits (R, K, D); log_mixture (R, D); out (R, K)."""
    wait_for_previous()
    node = tl.program_id(0).to(tl.int64)
    run = node // n_nodes
    log_sum = tl.load(log_sums + node)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        log_p = tl.load(logits + node * n_features + feature, inside, _LOWEST) - log_sum
        ratio = log_p - tl.load(log_mixture + run * n_features + feature, inside, 0.0)
        total += tl.where(inside, tl.exp(log_p) * ratio, 0.0)
    tl.store(out + node, tl.sum(total, 0))


@triton.jit
def gradient(
    logits,
    log_sums,
    log_mixture,
    divergences,
    above,
    weights,
    out,
    n_nodes,
    n_features,
    HAS_WEIGHTS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the gradient of a node's logits, times ``above``, that of the mean divergence.

    ``weights`` are those of the nodes in the mean, by default 1/K.

    Shape: logits, out (R, K, D); log_sums, divergences, weights (R, K); log_mixture (R, D);
    above (R,).
    """
    wait_for_previous()
    node = tl.program_id(0).to(tl.int64)
    run = node // n_nodes
    log_sum, divergence = tl.load(log_sums + node), tl.load(divergences + node)
    weight = tl.load(weights + node) if HAS_WEIGHTS else 1.0 / n_nodes
    factor = weight * tl.load(above + run)
    for start in range(0, n_features, BLOCK):
        feature = start + tl.arange(0, BLOCK)
        inside = feature < n_features
        index = node * n_features + feature
        log_p = tl.load(logits + index, inside, 0.0) - log_sum
        ratio = log_p - tl.load(log_mixture + run * n_features + feature, inside, 0.0)
        tl.store(out + index, factor * tl.exp(log_p) * (ratio - divergence), inside)
