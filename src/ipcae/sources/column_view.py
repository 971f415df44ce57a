"""Some columns of another source."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.sources.base import Index, Source
from ipcae.sources.view import View


class ColumnView(View):
    """Some columns of a source, in this order."""

    def __init__(self, source: Source, index: Index):
        self.index = np.asarray(index, dtype=np.int64)
        names = None if source.names is None else [source.names[place] for place in self.index]
        super().__init__(source, (len(source), len(self.index)), names)

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
