"""Your own tables, from the files people keep them in."""

from __future__ import annotations

import os
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.errors import InputError
from ipcae.optional import optional

if TYPE_CHECKING:
    import pandas as pd

# The last stands for pandas' warning that rows are longer than the line of names.
_UNREADABLE = (
    *(OSError, ValueError, NotImplementedError, EOFError),
    *(zlib.error, zipfile.BadZipFile, Warning),
)


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table with named columns from a CSV, TSV, Parquet or NPZ file.

    Parameters
    ----------
    path : str or path
        ``.csv`` or ``.tsv``, also with ``.gz`` after it: column names in the first line; a first
        column without a name holds the names of the rows. ``.parquet``. ``.npz``: an array ``X``
        and, if you like, ``y``, which becomes the column "y", and ``feature_names``; without
        them columns are called x0, x1, …

    Returns
    -------
    pandas.DataFrame
        One row at least, and columns with different names.

    Raises
    ------
    InputError
        If the file is missing, of another kind, damaged or empty, or its columns are not named
        apart.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.csv")
    ...     _ = file.write_text("petal,sepal,kind\\n1.5,2,iris\\n3,4.5,rose\\n")
    ...     read_table(file)
       petal  sepal  kind
    0    1.5    2.0  iris
    1    3.0    4.5  rose
    """
    path = Path(path).expanduser()
    _check_is_file(path)
    ending = next((ending for ending in READERS if path.name.lower().endswith(ending)), None)
    if ending is None:
        raise InputError(f"{path} is of an unknown kind: a table is one of {', '.join(READERS)}.")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty.")
    try:
        table = READERS[ending](path)
    except InputError:
        raise
    except _UNREADABLE as error:
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise InputError(f"{path} cannot be read as {ending}: {reason}.") from error
    _check_columns(path, list(table.columns))
    if table.empty:
        raise InputError(f"{path} has no rows, or no columns besides the rows' names.")
    return table


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    if path.exists():
        return
    if not path.parent.is_dir():
        raise InputError(f"{path} does not exist, nor does its folder.")
    near = get_close_matches(path.name, [other.name for other in path.parent.iterdir()], n=3)
    advice = f": did you mean {' or '.join(near)}?" if near else "."
    raise InputError(f"{path} does not exist{advice}")


def _check_columns(path: Path, names: list[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(f"{path} has several columns of the same name: {', '.join(repeated)}.")


def _read_text(path: Path, delimiter: str) -> pd.DataFrame:
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    # pandas would rename repeated columns and shift rows that are longer than the first line.
    first_line = {"header": None, "nrows": 1, "dtype": str, "keep_default_na": False}
    names = pandas.read_csv(path, sep=delimiter, **first_line).iloc[0].tolist()
    _check_columns(path, [name for name in names if name])
    if "" in names[1:]:
        raise InputError(f"{path} has no name for column {names.index('', 1) + 1}.")
    if len(names) == 1 and (other := next((c for c in ";\t," if c in names[0]), None)):
        raise InputError(
            f"{path} has a single column: its values are separated by {other!r}, not {delimiter!r}."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        table = pandas.read_csv(path, sep=delimiter, index_col=False, low_memory=False)
    return table.set_index(table.columns[0]).rename_axis(None) if names[0] == "" else table


def _read_csv(path: Path) -> pd.DataFrame:
    return _read_text(path, ",")


def _read_tsv(path: Path) -> pd.DataFrame:
    return _read_text(path, "\t")


def _read_parquet(path: Path) -> pd.DataFrame:
    optional("pyarrow", "reading .parquet files", install="ipcae[tables]")
    table = optional("pandas", "reading tables", install="ipcae[tables]").read_parquet(path)
    return table.set_axis([str(name) for name in table.columns], axis=1)


def _read_npz(path: Path) -> pd.DataFrame:
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path} is not an .npz file: numpy.savez writes them.")
    with np.load(path, allow_pickle=False) as file:
        arrays: dict[str, Any] = {name: file[name] for name in file.files}
    if "X" not in arrays or arrays["X"].ndim != 2:
        raise InputError(f"{path} has no array X of rows and columns.")
    n_rows, n_columns = arrays["X"].shape
    names = [str(name) for name in arrays.get("feature_names", [])]
    names = names or [f"x{column}" for column in range(n_columns)]
    if len(names) != n_columns:
        raise InputError(f"{path} has {n_columns} columns in X, but {len(names)} feature_names.")
    table = pandas.DataFrame(arrays["X"], columns=names)
    if "y" not in arrays:
        return table
    if arrays["y"].shape != (n_rows,):
        raise InputError(f"{path} has {n_rows} rows in X, but y of shape {arrays['y'].shape}.")
    _check_columns(path, [*names, "y"])
    return table.assign(y=arrays["y"])


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".tsv": _read_tsv,
    ".tsv.gz": _read_tsv,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
}
"""How to read each kind of file, by how its name ends."""
