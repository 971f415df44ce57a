"""Arrays, in memory or in a file."""

from __future__ import annotations

import warnings
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
        self._tensor = _shared(array)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return self.array[start:stop]

    def take(self, rows: Index, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        taken = self.empty(len(rows), pinned)
        if self._tensor is None:
            taken.numpy()[...] = self.array[rows]
        else:  # several threads copy
            torch.index_select(self._tensor, 0, torch.from_numpy(rows), out=taken)
        return taken


class MemmapSource(ArraySource):
    """An array in a file, such as ``np.load("rows.npy", mmap_mode="r")``.

    Rows are shuffled within windows, so that nearby pages of the file are read together.
    """

    in_memory = False


def _shared(array: NDArray[Any]) -> Tensor | None:
    """Return a tensor that shares the memory of an array of floats, or None if there is none."""
    native = array.dtype in (np.float32, np.float64) and array.dtype.isnative
    if not native or min(array.strides) < 0:
        return None
    with warnings.catch_warnings():
        # The tensor is never written to.
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(np.asarray(array))
