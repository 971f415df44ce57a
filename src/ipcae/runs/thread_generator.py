"""One NumPy Philox generator per thread, positioned at the start of a draw."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray


class _OfThread(threading.local):
    """A generator that every thread reuses: a new one would ask the system for a seed first."""

    def __init__(self) -> None:
        self.generator = np.random.Philox(0)
        self.buffer = np.zeros(4, dtype=np.uint64)


_of_thread = _OfThread()


def generator_at(counter: NDArray[np.uint64], key: NDArray[np.uint64]) -> np.random.Philox:
    """Return this thread's generator, at the beginning of a draw; valid until the next call."""
    generator = _of_thread.generator
    generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": counter, "key": key},
        "buffer": _of_thread.buffer,
        "buffer_pos": 4,  # empty
        "has_uint32": 0,
        "uinteger": 0,
    }
    return generator
