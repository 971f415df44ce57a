"""Draws on the CPU, run by run: faster than sorting, and bit for bit the same in any batch.

The draws and the probabilities are one operation for PyTorch, so that a traced step can contain
them although they take as many steps as the numbers require.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ipcae.ops.subset_select.inclusion import slopes_times

_MOST_STEPS = 80


def draw_subsets(theta: Tensor, counts: Tensor, noise: Tensor) -> Tensor:
    """Return the masks of :func:`ipcae.ops.subset_select.reference.draw_subsets`."""
    return _Draws.apply(theta, counts, noise)


class _Draws(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, counts: Tensor, noise: Tensor) -> Tensor:
        masks, probabilities = _drawn(theta, counts, noise)
        ctx.save_for_backward(probabilities)
        return masks

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return slopes_times(gradient.sum(1), *ctx.saved_tensors), None, None


@torch.library.custom_op("ipcae::draw_subsets", mutates_args=())
def _drawn(theta: Tensor, counts: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Return masks of the K largest of θ + noise, and Hájek's inclusion probabilities.

    Shape: theta (R, D); counts (R,); noise (R, n, D) -> (R, n, D), (R, D).
    """
    masks, probabilities = torch.empty_like(noise), torch.empty_like(theta)
    for run, count in enumerate(counts.tolist()):
        # The second term is zero, or NaN where θ is, so that divergence is noticed.
        masks[run] = _largest(theta[run] + noise[run], round(count)) + (theta[run] - theta[run])
        probabilities[run] = _probabilities(theta[run], count)
    return masks, probabilities


def _largest(values: Tensor, count: int) -> Tensor:
    """Return masks of the largest values, the first of equal ones. Shape: (n, D) -> (n, D)."""
    if count == 0:
        return torch.zeros_like(values)
    limit = values.kthvalue(values.shape[-1] - count + 1, dim=-1, keepdim=True).values
    mask = values >= limit
    if int(mask.sum()) > len(values) * count:
        left = count - (values > limit).sum(-1, keepdim=True)
        tie = values == limit
        mask = (values > limit) | (tie & (tie.cumsum(-1) <= left))
    return mask.to(values.dtype)


def _probabilities(theta: Tensor, count: float) -> Tensor:
    """Return σ(θ + τ) by Newton's method, kept inside a shrinking interval. Shape: (D,) -> (D,)."""
    share = torch.tensor(min(max(count / len(theta), 1e-7), 1 - 1e-7), dtype=torch.float64)
    level = float(torch.logit(share))
    low, high = level - float(theta.max()), level - float(theta.min())
    shift = (low + high) / 2
    for _ in range(_MOST_STEPS):
        found = torch.sigmoid(theta + shift)
        excess = float(found.sum()) - count
        if abs(excess) <= 1e-6 * count or not high > low:
            break
        low, high = (low, shift) if excess > 0 else (shift, high)
        slope = float((found * (1 - found)).sum())
        newton = shift - excess / slope if slope > 0 else low
        shift = newton if low < newton < high else (low + high) / 2
    return found
