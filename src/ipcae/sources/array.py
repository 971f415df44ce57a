"""Arrays, in memory or in a file."""

from __future__ import annotations

import mmap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.sources.base import Source
from ipcae.text import advice_on


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
                f"columns of numbers.{advice_on(array.shape)}"
            )
        self.array = array
        super().__init__(array.shape, array.dtype, names)
        self._tensor = _shared(array)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return self.array[start:stop]

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
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


class FileSource(MemmapSource):
    """A .npy file, mapped into memory; pages that were read are given back to the system.

    Mapped pages count as memory of the process until the system needs them. They are given back
    after every window, and are read again from the system's cache if it still has them.
    """

    def __init__(self, path: str | Path, names: Sequence[str] | None = None):
        self.path = Path(path)
        try:
            found = np.lib.format.open_memmap(self.path, mode="r")
            with self.path.open("rb") as file:
                self._pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise InputError(f"{path} cannot be read as an array ({error}).") from error
        order: Any = "F" if np.isfortran(found) else "C"
        array: NDArray[Any] = np.ndarray(
            found.shape, found.dtype, self._pages, found.offset, order=order
        )
        self._n_bytes = 0
        super().__init__(array, names)

    def __str__(self) -> str:
        return str(self.path)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        rows = np.array(self.array[start:stop])
        self._give_back(rows.nbytes)
        return rows

    def take(self, rows: Integers, *, pinned: bool = False) -> Tensor:
        """Return these rows in this order."""
        taken = super().take(rows, pinned=pinned)
        self._give_back(taken.nbytes)
        return taken

    def _give_back(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        if self._n_bytes > self.window_bytes and hasattr(self._pages, "madvise"):
            self._pages.madvise(mmap.MADV_DONTNEED)
            self._n_bytes = 0


def _shared(array: NDArray[Any]) -> Tensor | None:
    """Return a tensor that shares the memory of an array of floats, or None if there is none."""
    native = array.dtype in (np.float32, np.float64) and array.dtype.isnative
    if not native or min(array.strides) < 0:
        return None
    with warnings.catch_warnings():
        # The tensor is never written to.
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(np.asarray(array))
