"""Sparse matrices in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.sources.base import Source


class CsrSource(Source):
    """A sparse matrix in memory, of which only the rows of a batch become dense.

    >>> matrix = sparse.csr_array(np.eye(3, dtype=np.float32))
    >>> CsrSource(matrix).take(np.array([2]))
    tensor([[0., 0., 1.]])
    """

    in_memory = True
    any_row = True

    def __init__(self, matrix: Any, names: Sequence[str] | None = None):
        self.matrix = sparse.csr_array(matrix)
        if not self.matrix.has_canonical_format:
            self.matrix = self.matrix.copy()
            self.matrix.sum_duplicates()
        super().__init__(self.matrix.shape, self.matrix.dtype, names)
        self._stored: dict[torch.device, tuple[Tensor, Tensor]] = {}

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return self.matrix[start:stop].toarray()

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        taken = self.empty(len(rows), pinned)
        taken.numpy()[...] = self.matrix[rows].toarray()
        return taken

    def load(self, rows: Integers, device: torch.device) -> Tensor:
        """Return these rows on a device. A GPU keeps a copy of a matrix that is small for it."""
        if device.type == "cuda" and (device in self._stored or self._fits(device)):
            return self._gathered(rows, device)
        return super().load(rows, device)

    def _fits(self, device: torch.device) -> bool:
        n_bytes = len(self.matrix.data) * (self.matrix.indices.itemsize + self.dtype.itemsize)
        return n_bytes < torch.cuda.mem_get_info(device)[0] / 4

    def _gathered(self, rows: Integers, device: torch.device) -> Tensor:
        columns, values = self._on(device)
        first = self.matrix.indptr[rows].astype(np.int64)
        lengths = self.matrix.indptr[rows + 1] - first
        n_values, width = int(lengths.sum()), self.shape[1]
        # From the position of a value among those gathered to its place in the matrix, or the row.
        shifts = first - np.cumsum(lengths) + lengths
        places = torch.from_numpy(np.stack([shifts, np.arange(len(rows)) * width, lengths]))
        if device.type == "cuda":
            places = places.pin_memory()
        *each_row, repeats = places.to(device, non_blocking=True)
        shift, begin = (
            torch.repeat_interleave(each, repeats, output_size=n_values) for each in each_row
        )
        which = shift.add_(torch.arange(n_values, device=device))
        dense = torch.zeros(len(rows) * width, dtype=self.dtype, device=device)
        dense.index_copy_(0, begin.add_(columns[which]), values[which])
        return dense.view(len(rows), width)

    def _on(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return the columns and the values of the matrix on a device."""
        if device not in self._stored:
            values = torch.from_numpy(self.matrix.data).to(device).to(self.dtype)
            columns = torch.from_numpy(self.matrix.indices).to(device)
            if device.type == "cuda":  # other streams will read them
                torch.cuda.synchronize(device)
            self._stored[device] = columns, values
        return self._stored[device]
