"""The processes of a fit, and how they communicate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor
from torch import distributed as torch_distributed

from ipcae.distributed.ending import naming_the_end
from ipcae.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class Processes:
    """The processes that work on the same fit, as one of them sees it.

    All of them call the same methods in the same order.

    Attributes
    ----------
    rank : int
        The number of this process, from 0.
    size : int
        The number of processes.
    rows : bool
        Whether the rows of every batch are spread, instead of the runs.
    """

    rank: int = 0
    size: int = 1
    rows: bool = False

    @property
    def first(self) -> bool:
        """Whether this is the first process, which prints and writes files."""
        return self.rank == 0

    def assigned_runs(self, n_runs: int) -> list[list[int]]:
        """Return the runs of every process; one without any repeats the first run.

        >>> Processes(size=2).assigned_runs(5), Processes(size=3).assigned_runs(2)
        ([[0, 2, 4], [1, 3]], [[0], [1], [0]])
        """
        return [list(range(rank, n_runs, self.size)) or [0] for rank in range(self.size)]

    def part(self, n_rows: int) -> slice:
        """Return this process's part of a batch; the parts differ by at most one row.

        >>> [Processes(rank, 3).part(8) for rank in range(3)]
        [slice(0, 2, None), slice(2, 5, None), slice(5, 8, None)]
        """
        return slice(self.rank * n_rows // self.size, (self.rank + 1) * n_rows // self.size)

    def summed(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the sums of the tensors of all processes, the same bits in every process."""
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        with naming_the_end(self.rank, self.size):
            torch_distributed.all_reduce(flat)
        parts = flat.split([tensor.numel() for tensor in tensors])
        return [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]

    def any(self, flag: bool) -> bool:
        """Return whether the flag is set in any process."""
        return any(self.gathered(flag))

    def gathered(self, value: T) -> list[T]:
        """Return the values of all processes, in their order."""
        if not torch_distributed.is_initialized():  # a single process
            return [value]
        values: list[T | None] = [None] * self.size
        with naming_the_end(self.rank, self.size):
            torch_distributed.all_gather_object(values, value)
        return values  # type: ignore[return-value]

    def of_first(self, value: T) -> T:
        """Return the value of the first process."""
        values = [value]
        with naming_the_end(self.rank, self.size):
            torch_distributed.broadcast_object_list(values, src=0)
        return values[0]

    def require_same(self, mark: str, what: str) -> None:
        """Raise an error, in all processes, unless they have the same mark."""
        marks = self.gathered(mark)
        if len(set(marks)) > 1:
            other = next(rank for rank, other in enumerate(marks) if other != mark)
            raise InputError(
                f"Processes {min(self.rank, other)} and {max(self.rank, other)} were given "
                f"different {what}: start all processes with the same ones."
            )
