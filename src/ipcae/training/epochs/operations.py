"""The operations of a function of tensors, as data."""

from __future__ import annotations

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
