"""Values that context variables have within a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

_Value = TypeVar("_Value")


@contextmanager
def temporarily(variable: ContextVar[Any], value: _Value) -> Iterator[_Value]:
    """Set a context variable in a block, as ``with variable.set(value)`` does from Python 3.14.

    >>> depth = ContextVar("depth", default=0)
    >>> with temporarily(depth, 1):
    ...     depth.get()
    1
    >>> depth.get()
    0
    """
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
