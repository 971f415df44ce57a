"""Denormal numbers, which a softmax at low temperature is full of and many CPUs are slow at."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import torch
from threadpoolctl import threadpool_info

_SOFT = 1  # OpenMP's omp_pause_soft
_PROCESS = os.getpid()


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Count denormal numbers as zero meanwhile, in this thread and in those that help it.

    In the others this needs GNU's OpenMP, which PyTorch uses on Linux.
    """
    already = bool(torch.tensor(1e-39, dtype=torch.float32, device="cpu") * 0.5 == 0)
    _flush(True)
    try:
        yield
    finally:
        _flush(already)


def _flush(flush: bool) -> None:
    """Set it in the calling thread, and let those that help it start anew, with its settings."""
    torch.set_flush_denormal(flush)
    if torch.get_num_threads() == 1 or os.getpid() != _PROCESS:
        return  # in the child of a fork there are none, and waiting for their end has no end
    for library in _openmp():
        library.omp_pause_resource_all(_SOFT)


@lru_cache(maxsize=1)
def _openmp() -> list[ctypes.CDLL]:
    """Return the libraries whose threads end when they are told to pause."""
    paths = [info["filepath"] for info in threadpool_info() if info["prefix"] == "libgomp"]
    return [lib for lib in map(ctypes.CDLL, paths) if hasattr(lib, "omp_pause_resource_all")]
