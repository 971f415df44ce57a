"""Some rows or columns of another source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.sources.base import Source


class View(Source):
    """A part of a source, read through it."""

    def __init__(self, source: Source, shape: tuple[int, int], names: Sequence[str] | None):
        self.source = source
        dtype = np.float32 if source.dtype == torch.float32 else np.float64
        super().__init__(shape, dtype, names)
        self.window_bytes = source.window_bytes
        self.in_memory = source.in_memory  # type: ignore[misc]
        self.any_row = source.any_row  # type: ignore[misc]

    def __str__(self) -> str:
        return str(self.source)


class RowView(View):
    """Some rows of a source, such as the training rows.

    >>> from ipcae.sources import ArraySource
    >>> table = ArraySource(np.arange(6.0).reshape(3, 2))
    >>> table.subset(np.array([0, 2])).take(np.array([1, 0]))
    tensor([[4., 5.],
            [0., 1.]], dtype=torch.float64)
    """

    def __init__(self, source: Source, rows: Integers):
        self.rows = np.asarray(rows, dtype=np.int64)
        super().__init__(source, (len(self.rows), source.shape[1]), source.names)

    @property
    def starts(self) -> Integers:
        """The chunks of the source; if the rows are not sorted, chunks of any rows."""
        if (np.diff(self.rows) < 0).any():
            return super().starts
        return np.unique(np.searchsorted(self.rows, self.source.starts))[: len(self)]

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Return consecutive rows of the view."""
        return self.source.take(self.rows[start:stop]).numpy()

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        return self.source.take(self.rows[rows], pinned=pinned)

    def load(self, rows: Integers, device: torch.device) -> Tensor:
        """Return these rows on a device."""
        return self.source.load(self.rows[rows], device)


class ColumnView(View):
    """Some columns of a source, in this order."""

    def __init__(self, source: Source, index: Integers):
        self.index = np.asarray(index, dtype=np.int64)
        names = None if source.names is None else [source.names[place] for place in self.index]
        super().__init__(source, (len(source), len(self.index)), names)

    @property
    def starts(self) -> Integers:
        """The chunks of the source."""
        return self.source.starts

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Return consecutive rows."""
        return self.source.read(start, stop)[:, self.index]

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        taken = self.empty(len(rows), pinned)
        taken[...] = self.source.take(rows)[:, torch.from_numpy(self.index)]
        return taken
