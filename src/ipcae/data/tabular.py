"""Read tables from CSV, TSV, Parquet and NPZ files."""

from __future__ import annotations

import csv
import gzip
import os
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from ipcae.data.npz_table import read_npz
from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.special_files import refuse_special
from ipcae.text import listed, printable

if TYPE_CHECKING:
    import pandas as pd

# pandas takes 20 µs per column, which dominates for a million columns.
_WIDE = 100_000

# The last one is for pandas' warning that rows are longer than the header.
_UNREADABLE = (
    *(OSError, ValueError, NotImplementedError, EOFError),
    *(zlib.error, zipfile.BadZipFile, csv.Error, RuntimeError, Warning),
)


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table with named columns from a CSV, TSV, Parquet or NPZ file.

    Parameters
    ----------
    path : str or path
        ``.csv`` or ``.tsv``, optionally followed by ``.gz``: the first line has the column names; a
        first column without a name has the names of the rows. ``.parquet``. ``.npz``: an array
        ``X`` and optionally ``y``, which becomes the column "y", and ``feature_names``; by default
        the columns are named x0, x1, …

    Returns
    -------
    pandas.DataFrame
        A table with at least one row and unique column names.

    Raises
    ------
    InputError
        If the file is missing, of an unknown type, damaged or empty, or has duplicate column
        names.

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
        reason = printable(" ".join(str(error).split())).rstrip(".") or type(error).__name__
        raise InputError(f"{path} cannot be read as {ending}: {reason}.") from error
    _check_columns(path, list(table.columns))
    if table.empty:
        raise InputError(f"{path} has no rows, or no columns besides the rows' names.")
    return table


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    refuse_special(path)
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
        raise InputError(f"{path} has several columns of the same name: {listed(repeated)}.")


def _read_text(path: Path, delimiter: str) -> pd.DataFrame:
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    # pandas would rename duplicate columns and shift rows that are longer than the header.
    names = _first_line(path, delimiter)
    _check_columns(path, [name for name in names if name])
    if "" in names[1:]:
        raise InputError(f"{path} has no name for column {names.index('', 1) + 1}.")
    if len(names) == 1 and (other := next((c for c in ";\t," if c in names[0]), None)):
        raise InputError(
            f"{path} has a single column: its values are separated by {other!r}, not {delimiter!r}."
        )
    if len(names) > _WIDE and (values := _numbers(path, delimiter, len(names))) is not None:
        return pandas.DataFrame(values, columns=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        table = pandas.read_csv(path, sep=delimiter, index_col=False, low_memory=False)
    return table.set_index(table.columns[0]).rename_axis(None) if names[0] == "" else table


def _first_line(path: Path, delimiter: str) -> list[str]:
    """Return the names in the first nonblank line."""
    with _opened(path) as file:
        return _names(file, delimiter)


def _names(file: TextIO, delimiter: str) -> list[str]:
    for names in csv.reader(file, delimiter=delimiter):
        if len(names) > 1 or (names and names[0].strip(" \t")):
            return names
    raise ValueError("No columns: every line is blank")


def _numbers(path: Path, delimiter: str, n_columns: int) -> NDArray[np.float64] | None:
    """Read numeric rows, or return None if there are other values."""
    with _opened(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error")  # no rows
        _names(file, delimiter)
        try:
            values = np.loadtxt(file, delimiter=delimiter, comments=None, ndmin=2)
        except (ValueError, UserWarning):
            return None
    return values if values.shape[1] == n_columns else None


def _opened(path: Path) -> TextIO:
    packed = path.name.lower().endswith(".gz")
    file = (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="")
    return cast(TextIO, file)


def _read_csv(path: Path) -> pd.DataFrame:
    return _read_text(path, ",")


def _read_tsv(path: Path) -> pd.DataFrame:
    return _read_text(path, "\t")


def _read_parquet(path: Path) -> pd.DataFrame:
    optional("pyarrow", "reading .parquet files", install="ipcae[tables]")
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    try:
        table = pandas.read_parquet(path)
    except Exception as error:  # the libraries raise many kinds
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return table.set_axis([str(name) for name in table.columns], axis=1)


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".tsv": _read_tsv,
    ".tsv.gz": _read_tsv,
    ".parquet": _read_parquet,
    ".npz": read_npz,
}
"""The reader of each file type, by file extension."""
