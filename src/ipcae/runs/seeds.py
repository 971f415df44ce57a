"""Seeds that several runs share, and the seeds as tensors and keys."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@lru_cache(maxsize=64)
def positions_of(seeds: tuple[int, ...]) -> Tensor | None:
    """Return the position of every seed among the distinct ones; None if all are distinct.

    >>> positions_of((7, 5, 7))
    tensor([0, 1, 0])
    """
    distinct = {seed: position for position, seed in enumerate(dict.fromkeys(seeds))}
    if len(distinct) == len(seeds):
        return None
    return torch.tensor([distinct[seed] for seed in seeds])


@lru_cache(maxsize=64)
def are_repeated(seeds: tuple[int, ...]) -> bool:
    """Return whether the distinct seeds are repeated in the same order.

    >>> are_repeated((7, 5, 7, 5)), are_repeated((7, 5, 5))
    (True, False)
    """
    distinct = tuple(dict.fromkeys(seeds))
    return seeds == distinct * (len(seeds) // len(distinct))


@lru_cache(maxsize=1024)
def philox_key(seed: int, purpose: int) -> NDArray[np.uint64]:
    """Return the key of NumPy's generator for a seed and a purpose."""
    key = np.array([seed, purpose], dtype=np.uint64)
    key.flags.writeable = False
    return key


@lru_cache(maxsize=64)
def seeds_on(seeds: tuple[int, ...], device: torch.device) -> Tensor:
    """Return the seeds as int64 on a device. Shape: -> (R,)."""
    return torch.from_numpy(np.array(seeds, dtype=np.uint64).view(np.int64)).to(device)
