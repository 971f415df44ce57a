"""Arrays and sparse matrices in chunks, as HDF5 and zarr store them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource
from ipcae.text import advice_on, listed


class ChunkedSource(Source):
    """A two-dimensional array that is read in chunks: an ``h5py.Dataset`` or a ``zarr.Array``."""

    def __init__(self, array: Any, names: Sequence[str] | None = None, place: str = "the array"):
        if len(array.shape) != 2 or np.dtype(array.dtype).kind not in "biuf":
            raise InputError(
                f"{place} has shape {tuple(array.shape)} and type {array.dtype}: expected rows and "
                f"columns of numbers.{advice_on(array.shape)}"
            )
        self.array, self.place = array, place
        super().__init__(tuple(array.shape), array.dtype, names)

    def __str__(self) -> str:
        return self.place

    @property
    def starts(self) -> Integers:
        """The first rows of one or several chunks of the file."""
        chunk = self.array.chunks[0] if self.array.chunks else 1
        several = max(int(np.diff(super().starts[:2], append=0)[0]) // chunk, 1) * chunk
        return np.arange(0, len(self), several)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows."""
        return np.asarray(self.array[start:stop])


def array_of(root: Any, arrays: list[str], key: str | None, path: str) -> ChunkedSource:
    """Return the array ``key`` of a file or store, or its only one."""
    if key is None and len(arrays) == 1:
        key = arrays[0]
    if key is None or key not in root or not hasattr(root[key], "shape"):
        has = f"{len(arrays)} arrays" if key is None else f"no array {key!r}"
        raise InputError(f"{path} has {has}: name one with key=: {listed(arrays)}.")
    return ChunkedSource(root[key], None, f"{path}::{key}")


class ChunkedCsrSource(Source):
    """A sparse matrix in a file, as AnnData stores it: arrays data, indices and indptr."""

    def __init__(self, group: Any, names: Sequence[str] | None = None, place: str = "the matrix"):
        if str(group.attrs.get("encoding-type")) != "csr_matrix":
            raise InputError(
                f"{place} is stored as {group.attrs.get('encoding-type', 'a group')}: expected an "
                "array or a CSR matrix, whose rows can be read."
            )
        self.group, self.place = group, place
        self.indptr = np.asarray(group["indptr"][:], dtype=np.int64)
        shape = tuple(int(size) for size in group.attrs["shape"])
        super().__init__((shape[0], shape[1]), group["data"].dtype, names)

    def __str__(self) -> str:
        return self.place

    @property
    def sparse_bytes(self) -> int:
        """What the values and their columns take in memory, as float32 and int32."""
        return 8 * int(self.indptr[-1])

    def loaded(self) -> CsrSource:
        """Return the matrix in memory, sparse."""
        values = np.asarray(self.group["data"][:], dtype=np.float32)
        columns = np.asarray(self.group["indices"][:], dtype=np.int32)
        matrix = sparse.csr_array((values, columns, self.indptr), shape=self.shape)
        return CsrSource(matrix, self.names)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows, dense."""
        first, last = int(self.indptr[start]), int(self.indptr[stop])
        values = np.asarray(self.group["data"][first:last])
        columns = np.asarray(self.group["indices"][first:last], dtype=np.int64)
        rows = np.repeat(np.arange(stop - start), np.diff(self.indptr[start : stop + 1]))
        dense = np.zeros((stop - start, self.shape[1]), dtype=values.dtype)
        np.add.at(dense, (rows, columns), values)
        return dense
