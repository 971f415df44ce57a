"""Sparse matrices in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from ipcae.sources.base import Index, Source, to_device


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

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return self.matrix[start:stop].toarray()

    def take(self, rows: Index) -> Tensor:
        """Return these rows in this order."""
        return self.as_rows(self.matrix[rows].toarray())

    def load(self, rows: Index, device: torch.device) -> Tensor:
        """Return these rows on a device; only what is not zero is copied to a GPU."""
        if device.type != "cuda":
            return self.take(rows).to(device)
        part = self.matrix[rows]
        flat = np.repeat(np.arange(len(rows)) * self.shape[1], np.diff(part.indptr)) + part.indices
        dense = torch.zeros(len(rows) * self.shape[1], dtype=self.dtype, device=device)
        values = to_device(torch.from_numpy(part.data).to(self.dtype), device)
        dense.index_copy_(0, to_device(torch.from_numpy(flat.astype(np.int64)), device), values)
        return dense.view(len(rows), self.shape[1])
