"""How exactly the GPU multiplies matrices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ipcae.errors import InputError

# What the kernels' products are told: three products of the tensor cores' precision give float32's.
PRECISIONS = {"float32": "tf32x3", "tf32": "tf32", "bfloat16": "bf16"}

_precision = ContextVar("precision", default="float32")


@contextmanager
def matrix_precision(precision: str) -> Iterator[None]:
    """Multiply matrices in this precision on a GPU, for the time being.

    ``"float32"`` is exact to float32; ``"tf32"`` keeps 10 bits of the factors' fractions and
    ``"bfloat16"`` 7. Sums are float32 always, and so is everything on the CPU. Outside of this
    block it is ``"float32"``.

    >>> with matrix_precision("tf32"):
    ...     kernel_precision()
    'tf32'
    """
    if precision not in PRECISIONS:
        raise InputError(
            f"precision={precision!r} is not understood: expected one of {', '.join(PRECISIONS)}."
        )
    token = _precision.set(precision)
    try:
        yield
    finally:
        _precision.reset(token)


def kernel_precision() -> str:
    """Return the name of the current precision in the kernels' language."""
    return PRECISIONS[_precision.get()]
