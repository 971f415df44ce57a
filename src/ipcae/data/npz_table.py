"""Read a table from an .npz file with the arrays X, y and feature_names, or a sparse matrix."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.text import advice_on, listed, printable

if TYPE_CHECKING:
    import pandas as pd

MOST_BYTES, MOST_TIMES = 2**30, 100
"""An array is refused if it is larger than both limits: bytes, and times its size in the file."""

_KINDS = {"X": "biufmMUS", "y": "biufmMUS", "feature_names": "biufUS"}
_SPARSE = {"indptr": "iu", "indices": "iu", "data": "biuf", "shape": "iu", "format": "SU"}


def read_npz(file: BinaryIO, path: Path) -> pd.DataFrame:
    """Read X with the column names in feature_names, and y as an additional column."""
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    if not zipfile.is_zipfile(file):
        raise InputError(f"{path} is not an .npz file: numpy.savez writes them.")
    with zipfile.ZipFile(file) as archive:
        members = {info.filename: info for info in archive.infolist()}

        def read(kinds: dict[str, str]) -> dict[str, NDArray[Any]]:
            present = [name for name in kinds if f"{name}.npy" in members]
            return {
                name: _read(archive, members[f"{name}.npy"], kinds[name], name, path)
                for name in present
            }

        arrays = read(_KINDS)
        if "X" not in arrays and "indptr.npy" in members:
            arrays["X"] = _dense(read(_SPARSE), path)
    if "X" not in arrays:
        found = listed([printable(name.removesuffix(".npy")) for name in members])
        raise InputError(f"{path} has no array X of rows and columns. It has {found or 'nothing'}.")
    if arrays["X"].ndim != 2:
        raise InputError(
            f"X of {path} has shape {arrays['X'].shape}: expected rows and columns."
            f"{advice_on(arrays['X'].shape)}"
        )
    n_rows, n_columns = arrays["X"].shape
    names = _names(arrays.get("feature_names"), n_columns, path)
    table = pandas.DataFrame(arrays["X"], columns=names)
    if "y" not in arrays:
        return table
    if arrays["y"].shape != (n_rows,):
        raise InputError(f"{path} has {n_rows} rows in X, but y of shape {arrays['y'].shape}.")
    if "y" in names:
        raise InputError(
            f"{path} has several columns of the same name (y): rename the one in feature_names."
        )
    return table.assign(y=arrays["y"])


def _names(given: NDArray[Any] | None, n_columns: int, path: Path) -> list[str]:
    if given is None or given.shape == (0,):
        return [f"x{column}" for column in range(n_columns)]
    if given.ndim != 1:
        raise InputError(
            f"{path} has feature_names of shape {given.shape}: expected one name per column."
        )
    if len(given) != n_columns:
        raise InputError(f"{path} has {n_columns} columns in X, but {len(given)} feature_names.")
    return [str(name) for name in given.tolist()]


def _dense(stored: dict[str, NDArray[Any]], path: Path) -> NDArray[Any]:
    """Return the matrix that scipy.sparse.save_npz has written, in rows or in columns."""
    from scipy import sparse

    kind = str(np.ravel(stored.get("format", ""))[0])
    if stored.keys() != _SPARSE.keys() or kind not in ("csr", "csc") or len(stored["shape"]) != 2:
        raise InputError(
            f"{path} has a sparse matrix in an unknown format: expected one that "
            "scipy.sparse.save_npz has written, of the format csr or csc."
        )
    shape = tuple(stored["shape"].tolist())
    n_bytes = math.prod(shape) * stored["data"].dtype.itemsize
    if n_bytes > MOST_BYTES:
        raise InputError(
            f"{path} has a sparse matrix of shape {shape}, which takes {n_bytes / 1e9:.1f} GB as a "
            "table: use it in Python, where it stays sparse, or write it to an .h5ad file."
        )
    parts = stored["data"], stored["indices"], stored["indptr"]
    matrix = getattr(sparse, f"{kind}_array")(parts, shape=shape)
    matrix.check_format(full_check=True)
    return np.asarray(matrix.toarray())


def _read(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, kinds: str, name: str, path: Path
) -> NDArray[Any]:
    """Read one array after checking its size."""
    with archive.open(info) as file:
        shape, _, dtype = _header(file)
        n_header = file.tell()
    n_bytes = math.prod(shape) * dtype.itemsize
    if dtype.kind not in kinds:
        raise InputError(
            f"{path} has an array {name} of type {dtype}: expected real numbers or text."
            if name != "feature_names"
            else f"{path} has feature_names of type {dtype}: expected text."
        )
    # zipfile never returns more bytes than the directory declares.
    if n_bytes != info.file_size - n_header:
        raise InputError(
            f"{path} is damaged: the size of its array {name} does not match its shape {shape}."
        )
    if n_bytes > max(MOST_BYTES, MOST_TIMES * info.compress_size):
        raise InputError(
            f"{path} is refused: its array {name} would unpack from {info.compress_size / 1e6:.1f} "
            f"MB to {n_bytes / 1e9:.1f} GB. If that is right, write it with numpy.savez instead of "
            "savez_compressed."
        )
    with archive.open(info) as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    if dtype.kind == "S":
        return np.char.decode(array, "utf-8", "replace")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(file)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(file)
    raise ValueError(f"version {version} of the .npy format is not known")
