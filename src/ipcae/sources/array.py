"""Arrays, in memory or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.errors import InputError
from ipcae.sources.base import Index, Source


class ArraySource(Source):
    """An array in memory.

    >>> ArraySource(np.eye(3, dtype=np.float32)).take(np.array([2]))
    tensor([[0., 0., 1.]])
    """

    in_memory = True
    any_row = True

    def __init__(self, array: NDArray[Any], names: Sequence[str] | None = None):
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise InputError(
                f"the array has shape {array.shape} and type {array.dtype}: expected rows and "
                "columns of numbers."
            )
        self.array = array
        super().__init__(array.shape, array.dtype, names)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return self.array[start:stop]

    def take(self, rows: Index) -> Tensor:
        """Return these rows in this order."""
        return self.as_rows(self.array[rows])


class MemmapSource(ArraySource):
    """An array in a file, such as ``np.load("rows.npy", mmap_mode="r")``.

    Rows are shuffled within windows, so that nearby pages of the file are read together.
    """

    in_memory = False

    def take(self, rows: Index) -> Tensor:
        """Return these rows in this order, read in the order of the file."""
        order = np.argsort(rows, kind="stable")
        taken = torch.empty(len(rows), self.shape[1], dtype=self.dtype)
        taken.numpy()[order] = self.array[rows[order]]
        return taken
