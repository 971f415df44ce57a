"""The operations of a function of tensors, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True)
class Value:
    """A tensor of a recording, by its number."""

    number: int


class Layout(NamedTuple):
    """How a tensor lies in the memory that it may share with others."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, tensor: Tensor) -> Layout:
        """Return the layout of a tensor."""
        return cls(tensor.dtype, tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()))


@dataclass(frozen=True)
class Operation:
    """A PyTorch operation with its arguments; tensors are replaced by a :class:`Value`.

    ``results`` are the tensors it returns, and ``several`` is whether they are a sequence. A
    tensor that is changed in place keeps its number.
    """

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: tuple[Value, ...]
    several: bool

    @property
    def values(self) -> set[Value]:
        """The tensors that it is given."""
        return values_in([self.args, self.kwargs])

    @property
    def is_view(self) -> bool:
        """Whether the results share memory with the first argument."""
        return bool(self.function.is_view)

    @property
    def changes_its_arguments(self) -> bool:
        """Whether it is an operation in place."""
        return bool(self.function._schema.is_mutable)


@dataclass(frozen=True)
class Recording:
    """The operations of a function, in their order.

    ``known`` are the tensors that existed before: the arguments first, then all others.
    ``layouts`` are those of all tensors.
    """

    operations: list[Operation]
    known: dict[Value, Tensor]
    layouts: dict[Value, Layout]
    outputs: list[Value]


def values_in(part: Any) -> set[Value]:
    """Return the values in nested lists, tuples and dicts."""
    if isinstance(part, Value):
        return {part}
    parts = part.values() if isinstance(part, dict) else part
    return set().union(*map(values_in, parts)) if isinstance(part, list | tuple | dict) else set()


def replaced(part: Any, by: Mapping[Value, Any]) -> Any:
    """Replace values in nested lists, tuples and dicts.

    >>> replaced([1, (Value(0), Value(2))], {Value(2): "b"})
    [1, (Value(number=0), 'b')]
    """
    if isinstance(part, Value):
        return by.get(part, part)
    if isinstance(part, list | tuple):
        return type(part)(replaced(each, by) for each in part)
    if isinstance(part, dict):
        return {name: replaced(each, by) for name, each in part.items()}
    return part
