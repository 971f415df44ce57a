"""Gumbel noise from random bits, accurate in both tails and finite for every bit pattern."""

from __future__ import annotations

import torch
from torch import Tensor


def gumbel_from_bits(bits: Tensor) -> Tensor:
    """Standard Gumbel numbers −log E, where E = −log(1 − v) is exponential and v ∈ (0, 1) uniform.

    v = (n + ½) / 2³² for the 32 bits n, but float32 cannot hold v near 1, nor 1 − v near 1. So the
    distance to the nearer end is used, w = min(v, 1 − v) ∈ (0, ½], which float32 holds to full
    precision: E = −log(1 − w) for v in the lower half and E = −log w in the upper half. The large
    Gumbel numbers, which decide among many features, come from the lower half. The result is finite
    for every bit pattern and lies in [−3.14, 22.88].

    Shape: bits int32 of any shape -> float32 of the same shape.

    >>> gumbel_from_bits(torch.tensor([0, -1], dtype=torch.int32))
    tensor([22.8739, -3.1300])
    """
    if bits.device.type == "cpu" and bits.ndim > 1 and len(bits) > 1:
        # Run by run, because vector code and its scalar remainder differ in the last bit.
        noise = torch.empty(bits.shape)
        for run, own in zip(bits.unbind(), noise.unbind(), strict=True):
            torch.neg(_minus_gumbel(run), out=own)
        return noise
    return _minus_gumbel(bits).neg_()


def _minus_gumbel(bits: Tensor) -> Tensor:
    # Negative n stand for the upper half of v; |n + ½| is then the distance to its end.
    middle = bits.to(torch.float32).add_(0.5)
    is_upper = torch.lt(middle, 0, out=torch.empty_like(middle))  # float, because lerp_ needs one
    distance = middle.abs_().mul_(2.0**-32)
    lower, upper = distance.neg().log1p_(), distance.log_()
    return lower.lerp_(upper, is_upper).neg_().log_()
