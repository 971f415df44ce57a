"""Flush denormal numbers to zero: low temperatures make many, and CPUs are slow at them.

PyTorch's workers are ended before and after, so that new ones inherit the flag. They are also ended
before a fork: the child would wait forever for workers that only its parent has.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import torch
from threadpoolctl import threadpool_info

_SOFT = 1  # OpenMP's omp_pause_soft


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Flush denormal numbers to zero in this block, in the calling thread and PyTorch's workers.

    The workers are controlled through GNU OpenMP, which PyTorch uses on Linux. Without it, only the
    calling thread flushes denormals.
    """
    already = bool(torch.tensor(1e-39, dtype=torch.float32, device="cpu") * 0.5 == 0)
    _flush(True)
    try:
        yield
    finally:
        _flush(already)


def _flush(flush: bool) -> None:
    """Set the flag in the calling thread and end the workers: new ones inherit the flag."""
    torch.set_flush_denormal(flush)
    if torch.get_num_threads() > 1:
        _end_workers()


def _end_workers() -> None:
    """End the workers of the calling thread, in every GNU OpenMP that is loaded."""
    for end_workers in _openmp():
        end_workers(_SOFT)


if hasattr(os, "register_at_fork"):
    # Other threads' workers need no end: a child has only the thread that forked.
    os.register_at_fork(before=_end_workers)


@lru_cache(maxsize=1)
def _openmp() -> list[Callable[[int], Any]]:
    """Return ``omp_pause_resource_all`` of every loaded GNU OpenMP library that has it."""
    functions: list[Callable[[int], Any]] = []
    for info in threadpool_info():
        if info.get("prefix") == "libgomp":
            with suppress(OSError, AttributeError):
                functions.append(ctypes.CDLL(info["filepath"]).omp_pause_resource_all)
    return functions
