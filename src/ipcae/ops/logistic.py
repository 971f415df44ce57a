"""Logistic noise from random bits, accurate in both tails and finite for every bit pattern."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.ops.each_run_alone import each_run_alone


@each_run_alone
def logistic_from_bits(bits: Tensor) -> Tensor:
    """Standard logistic numbers log v − log(1 − v), where v ∈ (0, 1) is uniform.

    v = (n + ½) / 2³² for the 32 bits n. As in :func:`ipcae.ops.gumbel_from_bits`, the distance w to
    the nearer end of (0, 1) is used: the number is ±(log(1 − w) − log w), positive in the half of
    the small n. The result lies in [−22.88, 22.88].

    Shape: bits (R, ...), int32 -> (R, ...), float32.

    >>> logistic_from_bits(torch.tensor([0, -1], dtype=torch.int32))
    tensor([ 22.8739, -22.8739])
    """
    middle = bits.to(torch.float32).add_(0.5)
    distance = middle.abs().mul_(2.0**-32)
    size = distance.neg().log1p_().sub_(distance.log_())
    return torch.copysign(size, middle)
