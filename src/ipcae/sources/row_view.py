"""Some rows of another source."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.sources.base import Index, Source
from ipcae.sources.view import View


class RowView(View):
    """Some rows of a source, such as the training rows.

    >>> from ipcae.sources import ArraySource
    >>> table = ArraySource(np.arange(6.0).reshape(3, 2))
    >>> table.subset(np.array([0, 2])).take(np.array([1, 0]))
    tensor([[4., 5.],
            [0., 1.]], dtype=torch.float64)
    """

    def __init__(self, source: Source, rows: Index):
        self.rows = np.asarray(rows, dtype=np.int64)
        super().__init__(source, (len(self.rows), source.shape[1]), source.names)

    @property
    def starts(self) -> Index:
        """The chunks of the source; if the rows are not sorted, chunks of any rows."""
        if (np.diff(self.rows) < 0).any():
            return super().starts
        return np.unique(np.searchsorted(self.rows, self.source.starts))[: len(self)]

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Return consecutive rows of the view."""
        return self.source.take(self.rows[start:stop]).numpy()

    def take(self, rows: Index, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        return self.source.take(self.rows[rows], pinned=pinned)

    def load(self, rows: Index, device: torch.device) -> Tensor:
        """Return these rows on a device."""
        return self.source.load(self.rows[rows], device)
