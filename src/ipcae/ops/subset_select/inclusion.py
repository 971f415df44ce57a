"""Approximate inclusion probabilities of draws without replacement, with their gradients.

Hájek's approximation is π_d = σ(θ_d + τ), with τ such that Σ_d π_d = K. From Σ_d dπ_d = 0 follows
dτ, and with s_d = π_d (1 − π_d)

    ∂π_i / ∂θ_j = s_i (δ_ij − s_j / Σ_d s_d).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ipcae.ops.each_run_alone import each_run_alone

_POINTS = 16  # that divide the interval of τ in every round
_ROUNDS = 4
_NEWTON_STEPS = 3


def inclusion_probabilities(theta: Tensor, counts: Tensor) -> Tensor:
    """Return Hájek's inclusion probabilities, which sum to K.

    Shape: theta (R, D); counts (R,), from 0 to D -> (R, D).

    >>> inclusion_probabilities(torch.zeros(1, 4), torch.tensor([2.0]))
    tensor([[0.5000, 0.5000, 0.5000, 0.5000]])
    """
    return _Inclusion.apply(theta, counts)


@each_run_alone
def probabilities(theta: Tensor, counts: Tensor) -> Tensor:
    """Return :func:`inclusion_probabilities`, without gradients."""
    return torch.sigmoid(theta + _shift(theta, counts))


@each_run_alone
def slopes_times(gradient: Tensor, probability: Tensor) -> Tensor:
    """Map a gradient of the probabilities to that of θ. Shape: (R, D), (R, D) -> (R, D)."""
    slope = probability * (1 - probability)
    total = slope.sum(-1, keepdim=True).clamp_min(torch.finfo(slope.dtype).tiny)
    return slope * (gradient - (gradient * slope).sum(-1, keepdim=True) / total)


class _Inclusion(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, counts: Tensor) -> Tensor:
        found = probabilities(theta, counts)
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return slopes_times(gradient, *ctx.saved_tensors), None


def _shift(theta: Tensor, counts: Tensor) -> Tensor:
    """Return τ: the interval that contains it is divided, then Newton's method. -> (R, 1)."""
    wanted = counts.to(theta.dtype).unsqueeze(-1)
    share = (wanted / theta.shape[-1]).clamp(1e-7, 1 - 1e-7)
    level = torch.log(share) - torch.log1p(-share)
    # All probabilities are at most K / D at the lower end, and at least that at the upper.
    low, high = level - theta.amax(-1, keepdim=True), level - theta.amin(-1, keepdim=True)
    parts = torch.arange(_POINTS + 1, dtype=theta.dtype, device=theta.device) / _POINTS
    for _ in range(_ROUNDS):
        width = high - low
        points = low + width * parts[1:-1]  # (R, points)
        sums = torch.sigmoid(theta.unsqueeze(1) + points.unsqueeze(-1)).sum(-1)
        below = (sums < wanted).sum(-1, keepdim=True)
        low = low + width * below / _POINTS
        high = low + width / _POINTS
    shift = (low + high) / 2
    for _ in range(_NEWTON_STEPS):
        at = torch.sigmoid(theta + shift)
        slope = (at * (1 - at)).sum(-1, keepdim=True).clamp_min(1e-30)
        newton = shift - (at.sum(-1, keepdim=True) - wanted) / slope
        shift = torch.minimum(torch.maximum(newton, low), high)
    return shift
