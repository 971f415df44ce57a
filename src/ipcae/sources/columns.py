"""Some columns of another source."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.sources.base import Index, Source


class Columns(Source):
    """Some columns of a source, in this order."""

    def __init__(self, source: Source, index: Index):
        self.source, self.index = source, np.asarray(index, dtype=np.int64)
        dtype = np.float32 if source.dtype == torch.float32 else np.float64
        names = None if source.names is None else [source.names[place] for place in self.index]
        super().__init__((len(source), len(self.index)), dtype, names)
        self.window_bytes = source.window_bytes
        self.in_memory = source.in_memory  # type: ignore[misc]
        self.any_row = source.any_row  # type: ignore[misc]

    def __str__(self) -> str:
        return str(self.source)

    @property
    def starts(self) -> Index:
        """The chunks of the source."""
        return self.source.starts

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Return consecutive rows."""
        return self.source.read(start, stop)[:, self.index]

    def take(self, rows: Index, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        taken = self.empty(len(rows), pinned)
        taken[...] = self.source.take(rows)[:, torch.from_numpy(self.index)]
        return taken
