"""Gaussian noise from random bits, and the Gaussian distribution function."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_NEARLY_ONE = 1 - 2.0**-24  # largest float32 below 1, so that no bit pattern gives infinity


def gaussian_from_bits(bits: Tensor) -> Tensor:
    """Standard normal numbers √2 · erf⁻¹(v), where v ∈ (−1, 1) is uniform.

    Shape: bits int32 of any shape -> float32 of the same shape.

    >>> gaussian_from_bits(torch.tensor([-(2**31), 2**30, 2**31 - 1], dtype=torch.int32))
    tensor([-5.4200,  0.6745,  5.4200])
    """
    if bits.device.type == "cpu" and bits.ndim > 1 and len(bits) > 1:
        # Run by run, because vector code and its scalar remainder differ in the last bit.
        return torch.stack([gaussian_from_bits(run[None])[0] for run in bits])
    uniform = bits.to(torch.float32).add_(0.5).mul_(2.0**-31)
    return uniform.clamp_(-_NEARLY_ONE, _NEARLY_ONE).erfinv_().mul_(math.sqrt(2))


def gaussian_cdf(values: Tensor) -> Tensor:
    """Φ(x) = ½ (1 + erf(x / √2)), the probability that a standard normal number is below x.

    Shape: (R, ...) -> (R, ...).

    >>> gaussian_cdf(torch.tensor([[0.0, 1.6449]]))
    tensor([[0.5000, 0.9500]])
    """
    if values.device.type == "cpu" and len(values) > 1:
        return torch.stack([gaussian_cdf(run[None])[0] for run in values])
    return 0.5 * (1 + torch.erf(values / math.sqrt(2)))
