"""LassoNet's proximal operator in one kernel, in place."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch, next_power_of_2

_COLUMNS = 16  # features per program
MOST_HIDDEN = 512  # hidden weights of a feature that a program can hold


def bound_in_place(skip: Tensor, hidden: Tensor, threshold: Tensor, hierarchy: float) -> None:
    """Replace the weights by those of ``hierarchical_prox``.

    Shape: skip (R, O, D); hidden (R, H, D); threshold (R, D) or (R, 1).
    """
    n_runs, n_outputs, n_features = skip.shape
    n_hidden = hidden.shape[1]
    launch(
        _bound,
        (cdiv(n_features, _COLUMNS), n_runs),
        skip,
        hidden,
        threshold.expand(n_runs, n_features).contiguous(),
        n_outputs,
        n_hidden,
        n_features,
        skip.stride(0),
        hidden.stride(0),
        float(hierarchy),
        OUTPUTS=min(next_power_of_2(n_outputs), 128),
        HIDDEN=next_power_of_2(n_hidden),
        COLUMNS=_COLUMNS,
    )


def fits(skip: Tensor, hidden: Tensor) -> bool:
    """Whether the kernel can change these tensors: the matrix of every run is contiguous."""
    return hidden.shape[1] <= MOST_HIDDEN and all(
        torch.is_floating_point(weights) and weights[0].is_contiguous()
        for weights in (skip, hidden)
    )


@triton.jit
def _bound(
    skip,
    hidden,
    thresholds,
    n_outputs,
    n_hidden,
    n_features,
    skip_stride,
    hidden_stride,
    hierarchy,
    OUTPUTS: tl.constexpr,
    HIDDEN: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Shape: skip (R, O, D); hidden (R, H, D), both strided by run; thresholds (R, D)."""
    wait_for_previous()
    run = tl.program_id(1).to(tl.int64)
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < n_features
    own_skip = skip + run * skip_stride + column[None, :]
    squares = tl.zeros([COLUMNS], tl.float32)
    for start in range(0, n_outputs, OUTPUTS):
        output = start + tl.arange(0, OUTPUTS)
        mask = (output < n_outputs)[:, None] & inside[None, :]
        theta = tl.load(own_skip + output[:, None] * n_features, mask, 0.0)
        squares += tl.sum(theta * theta, 0)
    norm = tl.sqrt(squares)
    slack = norm - tl.load(thresholds + run * n_features + column, inside, 0.0)

    unit = tl.arange(0, HIDDEN)
    held = (unit < n_hidden)[:, None] & inside[None, :]
    own_hidden = hidden + run * hidden_stride + unit[:, None] * n_features + column[None, :]
    weights = tl.load(own_hidden, held, 0.0)
    sizes = tl.abs(weights)
    # Newton's method from below, as in `_by_newton`.
    bound = hierarchy * tl.maximum(slack, 0.0)
    climbing = 1
    while climbing > 0:
        above = sizes > bound[None, :]
        sums = tl.sum(tl.where(above, sizes, 0.0), 0)
        count = tl.sum(above.to(tl.float32), 0)
        higher = hierarchy * tl.maximum(slack + hierarchy * sums, 0.0)
        higher = higher / (1.0 + count * hierarchy * hierarchy)
        climbing = tl.max((higher > bound).to(tl.int32), 0)
        bound = tl.maximum(higher, bound)

    bound = tl.where(norm > 0.0, bound, 0.0)
    clipped = tl.where(weights < 0.0, -bound[None, :], bound[None, :])
    tl.store(own_hidden, tl.where(sizes > bound[None, :], clipped, weights), held)
    factor = bound / (hierarchy * tl.where(norm > 0.0, norm, 1.0))
    for start in range(0, n_outputs, OUTPUTS):
        output = start + tl.arange(0, OUTPUTS)
        mask = (output < n_outputs)[:, None] & inside[None, :]
        place = own_skip + output[:, None] * n_features
        tl.store(place, tl.load(place, mask, 0.0) * factor[None, :], mask)
