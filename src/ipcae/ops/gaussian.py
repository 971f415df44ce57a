"""Gaussian noise from random bits, and the Gaussian distribution function."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ipcae.ops.each_run_alone import each_run_alone

_NEARLY_ONE = 1 - 2.0**-24  # largest float32 below 1, so that no bit pattern gives infinity


@each_run_alone
def gaussian_from_bits(bits: Tensor) -> Tensor:
    """Standard normal numbers √2 · erf⁻¹(v), where v ∈ (−1, 1) is uniform.

    Shape: bits (R, ...), int32 -> (R, ...), float32.

    >>> gaussian_from_bits(torch.tensor([-(2**31), 2**30, 2**31 - 1], dtype=torch.int32))
    tensor([-5.4200,  0.6745,  5.4200])
    """
    uniform = bits.to(torch.float32).add_(0.5).mul_(2.0**-31)
    return uniform.clamp_(-_NEARLY_ONE, _NEARLY_ONE).erfinv_().mul_(math.sqrt(2))


@each_run_alone
def gaussian_cdf(values: Tensor) -> Tensor:
    """Φ(x) = ½ (1 + erf(x / √2)), the probability that a standard normal number is below x.

    Shape: (R, ...) -> (R, ...).

    >>> gaussian_cdf(torch.tensor([[0.0, 1.6449]]))
    tensor([[0.5000, 0.9500]])
    """
    return 0.5 * (1 + torch.erf(values / math.sqrt(2)))
