"""Work that several threads do at the same time, and that ends together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

import torch

from ipcae.training.progress.interrupt import Interrupt, interruptible, shared_interrupt

Result = TypeVar("Result")


def run_in_threads(work: Callable[[int, Interrupt], Result], n_threads: int) -> list[Result]:
    """Call a function in every thread, with its number; number 0 is the calling thread.

    The threads share those that PyTorch may use. Ctrl-C, or an error in any of them, ends the
    trainings in all of them after their current epoch, and sets the second argument.

    >>> run_in_threads(lambda number, interrupt: number**2, n_threads=2)
    [0, 1]
    """
    available = torch.get_num_threads()

    def own(number: int) -> Result:
        torch.set_num_threads(max(available // n_threads, 1))
        try:
            return work(number, interrupt)
        except BaseException:
            interrupt.requested = True
            raise

    with (
        shared_interrupt() as interrupt,
        interruptible(),
        ThreadPoolExecutor(max(n_threads - 1, 1)) as pool,
    ):
        others = [pool.submit(copy_context().run, own, number) for number in range(1, n_threads)]
        try:
            first = own(0)
        finally:
            torch.set_num_threads(available)
        return [first, *(other.result() for other in others)]
