"""Choice between Triton kernels and plain PyTorch: kernels on GPUs, and everywhere in tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

from ipcae.context import temporarily
from ipcae.optional import has_triton

_everywhere = ContextVar("everywhere", default=False)


def kernels_for(tensor: Tensor) -> bool:
    """Whether operations on this tensor go to the Triton kernels."""
    where = tensor.is_cuda or _everywhere.get()
    return where and tensor.dtype == torch.float32 and has_triton()


def is_transformed() -> bool:
    """Whether PyTorch compiles, exports or transforms what is computed, such as with ``vmap``.

    It then needs its own operations, without pointers to data.

    >>> torch.func.vmap(lambda number: number + is_transformed())(torch.zeros(2))
    tensor([1., 1.])
    """
    return torch.compiler.is_compiling() or _in_function_transform()


def _in_function_transform() -> bool:
    # Private; without it, functions with custom gradients refuse to be transformed.
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    return active is not None and bool(active())


@contextmanager
def kernels_everywhere() -> Iterator[None]:
    """Use the kernels on the CPU too, run by Triton's interpreter (TRITON_INTERPRET=1)."""
    with temporarily(_everywhere, True):
        yield
