"""What the backward pass of a step does aside.

The gradients of weights are needed at the end of a step only. Their products are small and leave a
large GPU half empty; so they are computed aside, on a stream of their own, while the backward pass
goes on to the layers before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TypeVar

import torch
from torch import Tensor

_T = TypeVar("_T")


class Tape:
    """The work of one step that is done aside."""

    def __init__(self) -> None:
        self._uses: Counter[int] = Counter()
        self._aside: torch.cuda.Stream | None = None
        self._in_use: list[Tensor] = []

    def note_use(self, weight: Tensor) -> None:
        """Count the uses of a weight: gradients of several uses are added up on the main stream."""
        self._uses[weight.data_ptr()] += 1

    def aside(self, weight: Tensor, work: Callable[[], _T], *inputs: Tensor) -> _T:
        """Do work on a weight's gradient that only the end of the step waits for.

        The gradient of a weight that was computed itself is waited for by the backward pass.
        """
        if not (weight.is_cuda and weight.is_leaf) or self._uses[weight.data_ptr()] > 1:
            return work()
        if self._aside is None:
            self._aside = _side_stream(weight.device)
        self._aside.wait_stream(torch.cuda.current_stream())
        self._in_use.extend(inputs)  # or their memory would be given to others meanwhile
        with torch.cuda.stream(self._aside):
            return work()

    def wait(self) -> None:
        """Wait, on the device, for the work done aside."""
        if self._aside is not None:
            torch.cuda.current_stream().wait_stream(self._aside)
            self._in_use.clear()


@lru_cache(maxsize=8)
def _side_stream(device: torch.device) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)


_tape: ContextVar[Tape | None] = ContextVar("tape", default=None)


@contextmanager
def taped() -> Iterator[Tape]:
    """Let the operations applied meanwhile do their part of the backward pass aside."""
    tape = Tape()
    token = _tape.set(tape)
    try:
        yield tape
    finally:
        _tape.reset(token)


def current_tape() -> Tape | None:
    """Return the tape of the step, if there is one."""
    return _tape.get()
