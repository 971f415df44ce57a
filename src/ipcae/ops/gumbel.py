"""Gumbel noise from random bits, accurate in both tails and finite for every bit pattern."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_BLOCK = 2**15  # numbers whose intermediate results stay in a CPU's cache
_HALF, _SCALE = np.float32(0.5), np.float32(2.0**-32)


def gumbel_from_bits(bits: Tensor) -> Tensor:
    """Standard Gumbel numbers −log E, where E = −log(1 − v) is exponential and v ∈ (0, 1) uniform.

    v = (n + ½) / 2³² for the 32 bits n, but float32 cannot hold v near 1, nor 1 − v near 1. So v is
    given by its signed distance d to the nearer end of the interval, v = d or v = 1 + d, which
    float32 holds to full precision. q = 1 − v is rounded if v is near 0. The rounding error, which
    float32 holds too, is then subtracted: E = v − (1 − q) − log q. The large Gumbel numbers, which
    decide among many features, come from small v. The result is finite for every bit pattern and
    lies in [−3.14, 22.88].

    NumPy computes it on the CPU: its logarithms are faster than PyTorch's, and do not depend on the
    position in the array. A trace of PyTorch operations does not see it.

    Shape: bits int32 of any shape -> float32 of the same shape.

    >>> gumbel_from_bits(torch.tensor([0, -1], dtype=torch.int32))
    tensor([22.8739, -3.1300])
    """
    if bits.device.type == "cpu":
        numbers = bits.reshape(-1).numpy()
        noise = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), _BLOCK):
            block = slice(start, start + _BLOCK)
            _fill(noise[block], numbers[block])
        return torch.from_numpy(noise).view(bits.shape)
    distance = bits.to(torch.float32).add_(0.5).mul_(2.0**-32)
    end = distance.ceil()
    rest = end - distance
    return distance.sub_(end.sub_(rest)).sub_(rest.log_()).log_().neg_()


def _fill(noise: NDArray[np.float32], bits: NDArray[np.int32]) -> None:
    distance = bits.astype(np.float32)  # negative if v is in the upper half
    distance += _HALF
    distance *= _SCALE
    end = np.ceil(distance)  # 1 in the lower half, so that q = end − d, and 0 in the upper half
    rest = np.subtract(end, distance, out=noise)
    end -= rest
    distance -= end  # the rounding error of q
    distance -= np.log(rest, out=rest)
    np.negative(np.log(distance, out=distance), out=noise)
