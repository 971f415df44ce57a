"""HDF5 files: an array, or the matrix of an AnnData file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.sources.anndata import matrix_of, obs_of
from ipcae.sources.base import Source
from ipcae.sources.stored import array_of


def open_hdf5(path: Path, key: str | None = None) -> Source:
    """Open an AnnData file (``key`` is a layer), or the array ``key`` of another HDF5 file.

    A file with a single array needs no key.
    """
    root = root_of(path)
    if path.suffix == ".h5ad":
        return matrix_of(root, str(path), key)
    arrays = [name for name in root if hasattr(root[name], "shape")]
    return array_of(root, arrays, key, str(path))


def cells(path: Path) -> Any:
    """Return ``obs`` of an AnnData file, a data frame."""
    return obs_of(root_of(path))


def root_of(path: Path) -> Any:
    """Open a file."""
    h5py = optional("h5py", "reading HDF5 files")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path} cannot be read as HDF5 ({error}).") from error
