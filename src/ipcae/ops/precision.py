"""Precision of matrix products on the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ipcae.context import temporarily
from ipcae.errors import invalid_argument

# Names of the kernels' precisions: three TF32 products are as accurate as one in float32.
PRECISIONS = {"float32": "tf32x3", "tf32": "tf32", "bfloat16": "bf16"}

_precision = ContextVar("precision", default="float32")


@contextmanager
def matrix_precision(precision: str) -> Iterator[None]:
    """Set the precision of matrix products on GPUs within a block.

    ``"float32"``, the default, is accurate to float32. ``"tf32"`` rounds the factors to 10 bits of
    mantissa and ``"bfloat16"`` to 7. Sums are in float32. The CPU always uses float32.

    >>> with matrix_precision("tf32"):
    ...     kernel_precision()
    'tf32'
    """
    if precision not in PRECISIONS:
        raise invalid_argument("precision", precision, f"one of {', '.join(PRECISIONS)}")
    with temporarily(_precision, precision):
        yield


def kernel_precision() -> str:
    """Return the current precision by the name that kernels use."""
    return PRECISIONS[_precision.get()]
