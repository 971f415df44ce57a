"""Weight gradients left as products of two thin matrices.

The gradient of a linear map's weight is gradᵀ · inputs, a matrix as large as the weight made of two
that are much smaller. An optimizer that multiplies them tile by tile, while it updates the weight,
never writes that gradient to memory nor reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from torch import Tensor


@dataclass(frozen=True)
class Factors:
    """The gradient of weight and bias: gradᵀ · inputs, and the sum of grad's rows.

    Shape: grad (R, B, O); inputs (R, B, I); bias (R, O), the parameter itself.
    """

    grad: Tensor
    inputs: Tensor
    bias: Tensor | None


@dataclass
class Tape:
    """What backward passes leave here instead of gradients, by the address of the weight."""

    wanted: set[int]
    factors: dict[int, list[Factors]] = field(default_factory=dict)

    def leave(self, weight: Tensor, factors: Factors) -> None:
        """Leave the gradient of a weight in factors."""
        self.factors.setdefault(weight.data_ptr(), []).append(factors)


_tape: ContextVar[Tape | None] = ContextVar("tape", default=None)


@contextmanager
def factored_gradients(weights: list[Tensor]) -> Iterator[Tape]:
    """Let linear maps of these weights, applied meanwhile, leave their gradients in factors."""
    tape = Tape({weight.data_ptr() for weight in weights})
    token = _tape.set(tape)
    try:
        yield tape
    finally:
        _tape.reset(token)


def tape_for(weight: Tensor) -> Tape | None:
    """Return where the gradient of this weight is wanted in factors, if anywhere."""
    tape = _tape.get()
    return tape if tape is not None and weight.data_ptr() in tape.wanted else None
