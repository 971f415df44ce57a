"""Open a table in any supported format as a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ipcae.errors import InputError
from ipcae.sources import hdf5, zarr
from ipcae.sources.anndata import column_of
from ipcae.sources.array import ArraySource, FileSource, MemmapSource
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource
from ipcae.sources.parquet import ParquetSource

SUFFIXES = (".parquet", ".zarr", ".h5ad", ".h5", ".hdf5", ".npy")


def open_source(path: str | Path, target: str | None = None, *, key: str | None = None) -> Any:
    """Open a table that is read in parts.

    Parameters
    ----------
    path : str or Path
        A ``.parquet`` file or a folder of them, a ``.zarr`` store, an ``.h5ad``, ``.h5`` or
        ``.hdf5`` file, or a ``.npy`` file.
    target : str, optional
        The column to predict: a column of a Parquet table, which is then not a feature, or of the
        ``obs`` of an AnnData file.
    key : str, optional
        The array of an HDF5 file or a zarr store, or the layer of an AnnData file.

    Returns
    -------
    Source, or a pair of a Source and an array of targets if ``target`` is given.

    See Also
    --------
    sources.as_source : An array or a sparse matrix as a source.
    data.read_table : Read a file into memory.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.eye(4))
    ...     open_source(f"{folder}/rows.npy").shape
    (4, 4)
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    source = _opened(path, key)
    if target is None:
        return source
    if isinstance(source, ParquetSource):
        return source.drop(target) if target in source.types else source, source.column(target)
    return source, _target(path, target)


def _opened(path: Path, key: str | None) -> Source:
    if is_zarr(path):
        return zarr.open_zarr(path, key)
    if path.is_dir() or path.suffix == ".parquet":
        return ParquetSource(path)
    if path.suffix in (".h5ad", ".h5", ".hdf5"):
        return hdf5.open_hdf5(path, key)
    if path.suffix == ".npy":
        return FileSource(path)
    raise InputError(
        f"{path} cannot be read in parts: expected a folder of .parquet files or one of "
        f"{', '.join(SUFFIXES)}."
    )


def _target(path: Path, name: str) -> NDArray[Any]:
    if is_zarr(path):
        return column_of(zarr.root_of(path), name, str(path))
    if path.suffix == ".h5ad":
        return column_of(hdf5.root_of(path), name, str(path))
    raise InputError(f"{path} has no named columns: pass the target as an array.")


def is_zarr(path: Path) -> bool:
    """Return whether a folder is a zarr store."""
    marks = ".zgroup", ".zarray", "zarr.json"
    return path.is_dir() and (path.suffix == ".zarr" or any((path / m).exists() for m in marks))


def may_be_read_in_parts(X: Any) -> bool:
    """Return whether a table is a memory-mapped array or a sparse matrix."""
    return _mapped(X) or sparse.issparse(X)


def as_source(X: Any) -> Source:
    """Return an array as a source, whose rows are read in batches.

    Parameters
    ----------
    X : array, np.memmap or sparse matrix of shape (n_rows, n_features)
        The rows.

    See Also
    --------
    sources.open_source : Open a file or a folder.
    sources.Source : What is returned.

    Examples
    --------
    >>> as_source(sparse.eye_array(3)).shape
    (3, 3)
    """
    if isinstance(X, Source):
        return X
    if sparse.issparse(X):
        return CsrSource(X)
    if isinstance(X, np.ndarray):
        return (MemmapSource if _mapped(X) else ArraySource)(X)
    raise InputError(
        f"a {type(X).__name__} cannot be read in parts: expected an array, a memory-mapped array, "
        "a sparse matrix, or a source such as open_source('folder/')."
    )


def _mapped(X: Any) -> bool:
    """Return whether an array, or the array it is a view of, is in a file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
