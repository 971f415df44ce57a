"""The interface of a row source."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.text import listed

WINDOW_BYTES = 2**27
_CHUNKS_PER_WINDOW = 16


class Source(ABC):
    """A numeric table whose rows are read on demand.

    Parameters
    ----------
    shape : tuple of int
        Number of rows and of columns.
    dtype : dtype
        Type of the rows that are read: float32 stays, everything else becomes float64.
    names : sequence of str, optional
        Names of the columns.

    Attributes
    ----------
    in_memory : bool
        Whether the table is in memory, so that its rows are shuffled as those of an array.
    any_row : bool
        Whether single rows are as cheap to read as consecutive ones. If not, rows are read in whole
        chunks.
    window_bytes : int
        Number of bytes that are shuffled together; see :func:`ipcae.sources.windowed_order`.

    See Also
    --------
    sources.open_source : Open a file or a folder.
    sources.as_source : An array or a sparse matrix as a source.

    Examples
    --------
    >>> class Squares(Source):
    ...     def read(self, start, stop):
    ...         return np.arange(start, stop)[:, None] ** np.arange(self.shape[1])
    >>> Squares((1000, 3), np.float64).take(np.array([2, 10]))
    tensor([[  1.,   2.,   4.],
            [  1.,  10., 100.]], dtype=torch.float64)
    """

    in_memory: ClassVar[bool] = False
    any_row: ClassVar[bool] = False
    window_bytes: int = WINDOW_BYTES

    def __init__(self, shape: tuple[int, int], dtype: Any, names: Sequence[str] | None = None):
        n_rows, n_columns = shape
        if not n_rows or not n_columns:
            raise InputError(f"{self} is empty, shape {tuple(shape)}: expected rows and columns.")
        self.shape = int(n_rows), int(n_columns)
        self.dtype = torch.float32 if np.dtype(dtype) == np.float32 else torch.float64
        self.names = None if names is None else [str(name) for name in names]
        self.device = torch.device("cpu")

    # What a source defines.

    @abstractmethod
    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows. Shape: -> (stop - start, D)."""

    @property
    def starts(self) -> Integers:
        """The first rows of the chunks: consecutive rows that are best read together."""
        size = max(self.window_rows // _CHUNKS_PER_WINDOW, 1)
        return np.arange(0, len(self), size)

    # What follows from it.

    def __len__(self) -> int:
        return self.shape[0]

    def __str__(self) -> str:
        return type(self).__name__

    @property
    def row_bytes(self) -> int:
        """Size of a row that is read."""
        return self.shape[1] * self.dtype.itemsize

    @property
    def window_rows(self) -> int:
        """Number of rows that are shuffled together."""
        return max(self.window_bytes // self.row_bytes, 1)

    @property
    def block_sizes(self) -> list[int]:
        """Numbers of rows of the parts of moderate size in which all rows are read, in order."""
        size = max(self.window_rows // 4, 1)
        return [min(size, len(self) - start) for start in range(0, len(self), size)]

    def with_window(self, n_bytes: int) -> Self:
        """Return the same source with another size of the shuffled rows."""
        other = copy.copy(self)
        other.window_bytes = n_bytes
        return other

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order; whole chunks are read. Shape: (n,) -> (n, D).

        ``pinned`` rows are in memory that is copied to a GPU without waiting.
        """
        taken = self.empty(len(rows), pinned)
        order = np.argsort(rows, kind="stable")
        wanted = rows[order]
        chunk = np.searchsorted(self.starts, wanted, side="right")
        edges = np.flatnonzero(np.diff(chunk)) + 1
        for places in np.split(np.arange(len(rows)), edges):
            first, last = int(wanted[places[0]]), int(wanted[places[-1]])
            block = self.as_rows(self.read(first, last + 1))
            taken[torch.from_numpy(order[places])] = block[torch.from_numpy(wanted[places] - first)]
        return taken

    def load(self, rows: Integers, device: torch.device) -> Tensor:
        """Return these rows on a device, copied from pinned memory to a GPU."""
        on_gpu = device.type == "cuda"
        return self.take(rows, pinned=on_gpu).to(device, non_blocking=on_gpu)

    def empty(self, n_rows: int, pinned: bool = False) -> Tensor:
        """Return a tensor for rows of the source."""
        return torch.empty(n_rows, self.shape[1], dtype=self.dtype, pin_memory=pinned)

    def columns(self, index: Integers) -> Tensor:
        """Return some columns of all rows. Shape: (k,) -> (N, k)."""
        places = torch.from_numpy(index)
        return torch.cat([block[:, places] for _, block in self.blocks()])

    def blocks(self) -> Iterator[tuple[int, Tensor]]:
        """Yield all rows in order, in parts of moderate size, each with its first row."""
        start = 0
        for size in self.block_sizes:
            yield start, self.as_rows(self.read(start, start + size))
            start += size

    def subset(self, rows: Integers) -> Source:
        """Return a source of some of the rows, in this order."""
        from ipcae.sources.views import RowView

        return RowView(self, rows)

    def drop(self, names: str | Sequence[str]) -> Source:
        """Return the source without some columns, such as the target."""
        from ipcae.sources.views import ColumnView

        dropped = self.positions([names] if isinstance(names, str) else names, str(self))
        return ColumnView(self, np.setdiff1d(np.arange(self.shape[1]), dropped))

    def as_rows(self, values: Any) -> Tensor:
        """Return an array as a tensor of the source's type that owns its memory."""
        kind = np.float32 if self.dtype == torch.float32 else np.float64
        array = np.ascontiguousarray(values, dtype=kind)
        return torch.from_numpy(array if array.flags.writeable else array.copy())

    def positions(self, names: Sequence[str], place: str = "X") -> Integers:
        """Return the positions of columns by their names, or raise an error."""
        known = {name: position for position, name in enumerate(self.names or ())}
        missing = [str(name) for name in names if str(name) not in known]
        if missing:
            raise InputError(
                f"{place} has no column{'s' if len(missing) > 1 else ''} {listed(missing)}: its "
                f"columns are {listed(self.names or []) or 'not named'}."
            )
        return np.array([known[str(name)] for name in names], dtype=np.int64)


def shuffled_together(source: Source, batch_size: int) -> int:
    """Return the number of rows of a window: whole batches, and all rows if in memory."""
    if source.in_memory:
        return len(source)
    return max(source.window_rows // batch_size, 1) * batch_size
