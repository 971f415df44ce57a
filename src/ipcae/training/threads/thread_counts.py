"""The number of threads of a training on the CPU.

Operations of a small step are shorter than the time in which threads wait for each other. On a busy
machine, a thread that waits uses up its time slice, and a fit with two threads can take 20 times
as long as with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from ipcae.models import Params

# Multiply-adds of a step for each thread that is worth its synchronization
# (benchmarks/busy_cpu.py).
_WORK_PER_THREAD = 2**22


def useful_threads(work: int, available: int) -> int:
    """Return the number of threads for steps of this many multiply-adds.

    >>> useful_threads(10_000, available=8), useful_threads(20_000_000, available=8)
    (1, 4)
    """
    return max(1, min(available, work // _WORK_PER_THREAD))


@contextmanager
def limited_threads(params: Params, batch_size: int) -> Iterator[None]:
    """Use no more threads than a step has work for, and restore the setting afterwards.

    The user's setting (``torch.set_num_threads``, ``OMP_NUM_THREADS``, the workers of joblib) is
    never exceeded.
    """
    available = torch.get_num_threads()
    n_threads = useful_threads(batch_size * sum(map(Tensor.numel, params.values())), available)
    if n_threads == available:
        yield
        return
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(available)
