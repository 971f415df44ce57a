"""Noise that depends on ``torch.manual_seed``."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.ops import gumbel_from_bits
from ipcae.runs import Stream


def global_seed() -> int:
    """Draw a seed from PyTorch's global CPU generator, which needs no synchronization.

    >>> _ = torch.manual_seed(0)
    >>> first = global_seed()
    >>> _ = torch.manual_seed(0)
    >>> first == global_seed()
    True
    """
    return int(torch.randint(2**63 - 1, (), device="cpu"))


def global_gumbel(*shape: int, like: Tensor) -> Tensor:
    """Return standard Gumbel noise on the device of ``like``, in at least float32.

    >>> global_gumbel(2, 3, like=torch.zeros(1, dtype=torch.float64)).dtype
    torch.float64
    """
    dtype = torch.promote_types(like.dtype, torch.float32)
    if 0 in shape:
        return like.new_empty(shape, dtype=dtype)
    stream = Stream([global_seed()], step=0, device=like.device)
    return gumbel_from_bits(stream.bits(*shape))[0].to(dtype)
