"""Starting kernels, and compiling many of them at once.

A kernel is compiled when it is first started, half a second each. A model has some twenty of
them: :func:`compiling` runs the model once without starting any and compiles them side by side.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

# Backward passes run in threads of PyTorch's own, so this is no context variable.
_compiler: list[ThreadPoolExecutor] = []
_compiled: list[Future[Any]] = []


def launch(kernel: Any, grid: Sequence[int], *arguments: Any, **options: Any) -> None:
    """Start a kernel on the device of its first argument."""
    if _compiler:
        _compiled.append(_compiler[0].submit(kernel.warmup, *arguments, grid=grid, **options))
        return
    first = arguments[0]
    with torch.cuda.device_of(first if isinstance(first, Tensor) else first[0]):
        kernel[grid](*arguments, **options)


@contextmanager
def compiling() -> Iterator[None]:
    """Compile the kernels that would be started meanwhile, on all cores, and start none.

    What they would have written is left undefined.
    """
    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            _compiler.append(pool)
            try:
                yield
            finally:
                _compiler.clear()
        for future in _compiled:
            future.result()
    finally:
        _compiled.clear()
