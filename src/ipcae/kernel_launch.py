"""Launch Triton kernels, and compile many of them in parallel.

A kernel is compiled when it is first launched, which can take seconds. A model has about twenty
kernels: :func:`compiling` runs the model without launching them, and compiles them concurrently.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ipcae.context import temporarily


def cdiv(size: int, block: int) -> int:
    """Return how many blocks cover the size; Triton's own function is slow outside of kernels.

    >>> cdiv(10, 4)
    3
    """
    return -(-size // block)


def next_power_of_2(size: int) -> int:
    """Return the smallest power of 2 that is at least as large.

    >>> next_power_of_2(50), next_power_of_2(64)
    (64, 64)
    """
    return 1 << max(size - 1, 0).bit_length()


class _Compiler:
    """Compile kernels in a pool of threads."""

    def __init__(self, pool: ThreadPoolExecutor):
        self._pool = pool
        self._pending: list[Future[None]] = []

    def submit(self, *launch: Any) -> None:
        self._pending.append(self._pool.submit(_compile, *launch))

    def wait(self) -> None:
        """Wait for all kernels; raise the first error."""
        for future in self._pending:
            future.result()


_compiler: ContextVar[_Compiler | None] = ContextVar("compiler", default=None)


def launch(kernel: Any, grid: Sequence[int], *arguments: Any, **options: Any) -> None:
    """Launch a kernel on the device of its first argument; only compile it in :func:`compiling`."""
    first = arguments[0] if isinstance(arguments[0], Tensor) else arguments[0][0]
    if first.is_cuda and _starts_early(first.device):
        options |= {"launch_pdl": True}
    compiler = _compiler.get()
    if compiler is not None:
        compiler.submit(kernel, grid, first, arguments, options)
        return
    with torch.cuda.device_of(first):
        kernel[grid](*arguments, **options)


@cache
def _starts_early(device: torch.device) -> bool:
    """Return whether a kernel can be launched before the previous one has completely ended."""
    return torch.version.cuda is not None and torch.cuda.get_device_capability(device) >= (9, 0)


def _compile(
    kernel: Any, grid: Sequence[int], first: Tensor, arguments: tuple[Any, ...], options: Any
) -> None:
    """Compile a kernel and load it onto the device."""
    with torch.cuda.device_of(first):
        compiled = kernel.warmup(*arguments, grid=grid, **options)
        if compiled is not None:  # the interpreter compiles nothing
            _ = compiled.run  # reading the attribute loads the kernel


@contextmanager
def compiling() -> Iterator[None]:
    """Compile the kernels that the calling thread launches in this block, without running them.

    Their outputs are undefined. Other threads are not affected: launches are intercepted by a
    context variable, and backward passes run in the calling thread instead of autograd's threads,
    which are shared.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = _Compiler(pool)
        with temporarily(_compiler, compiler), torch.autograd.set_multithreading_enabled(False):
            yield
        compiler.wait()
