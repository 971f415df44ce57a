"""What the backward passes of a step leave to its end.

The gradient of a linear map's weight is gradᵀ · inputs, a matrix as large as the weight made of two
that are much smaller. An optimizer that multiplies them tile by tile, while it updates the weight,
never writes that gradient to memory nor reads it back. The gradients of smaller weights are
computed aside, while the pass goes on to the layers before: only the step's end waits for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import torch
from torch import Tensor

_T = TypeVar("_T")


@dataclass(frozen=True)
class Factors:
    """The gradient of weight and bias: gradᵀ · inputs, and the sum of grad's rows.

    Shape: grad (R, B, O); inputs (R, B, I); bias (R, O), the parameter itself.
    """

    grad: Tensor
    inputs: Tensor
    bias: Tensor | None


class Tape:
    """The gradients of one step that are not ready yet.

    Parameters
    ----------
    factored : set of int
        Addresses of the weights whose gradients are wanted in factors.
    """

    def __init__(self, factored: set[int]):
        self.factored = factored
        self.factors: dict[int, list[Factors]] = {}
        self._uses: Counter[int] = Counter()
        self._aside: torch.cuda.Stream | None = None
        self._in_use: list[Tensor] = []

    def note_use(self, weight: Tensor) -> None:
        """Count the uses of a weight: the gradients of several uses are added up at once."""
        self._uses[weight.data_ptr()] += 1

    def leave(self, weight: Tensor, factors: Factors) -> bool:
        """Leave the gradient of a weight in factors, if it is wanted so."""
        address = weight.data_ptr()
        if address in self.factored:
            self.factors.setdefault(address, []).append(factors)
        return address in self.factored

    def aside(self, weight: Tensor, work: Callable[[], _T], *inputs: Tensor) -> _T:
        """Do work that only the end of the step waits for."""
        if not weight.is_cuda or self._uses[weight.data_ptr()] > 1:
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
def taped(factored: list[Tensor]) -> Iterator[Tape]:
    """Let the linear maps applied meanwhile leave gradients to the end of the step."""
    tape = Tape({weight.data_ptr() for weight in factored})
    token = _tape.set(tape)
    try:
        yield tape
    finally:
        _tape.reset(token)


def current_tape() -> Tape | None:
    """Return the tape of the step, if there is one."""
    return _tape.get()
