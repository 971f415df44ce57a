"""Starting kernels, and compiling many of them at once.

A kernel is compiled when it is first started, which takes a while. A model has some twenty of
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
    first = arguments[0] if isinstance(arguments[0], Tensor) else arguments[0][0]
    if _compiler:
        _compiled.append(_compiler[0].submit(_compile, kernel, grid, first, arguments, options))
        return
    with torch.cuda.device_of(first):
        kernel[grid](*arguments, **options)


def _compile(
    kernel: Any, grid: Sequence[int], first: Tensor, arguments: tuple[Any, ...], options: Any
) -> None:
    """Compile a kernel, and load it."""
    with torch.cuda.device_of(first):
        compiled = kernel.warmup(*arguments, grid=grid, **options)
        if compiled is not None:  # the interpreter compiles nothing
            _ = compiled.run  # asking for it loads it


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
