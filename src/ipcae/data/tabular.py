"""Read tables from text, Excel, Parquet and NPZ files, some of them compressed."""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ipcae.data.missing_values import with_missing_values
from ipcae.data.npz_table import MOST_BYTES, MOST_TIMES, read_npz
from ipcae.data.spreadsheet import read_spreadsheet
from ipcae.data.text_format import DETECTED, TextFormat
from ipcae.data.text_table import TOO_FEW_NAMES, check_names, names_in_first_line, read_text
from ipcae.errors import InputError
from ipcae.filesystem.special_files import refuse_special
from ipcae.optional import optional
from ipcae.text import listed, printable

if TYPE_CHECKING:
    import pandas as pd

    Parsed = tuple[pd.DataFrame, TextFormat | None]

# The last one is for pandas' warning that rows are longer than the header.
_UNREADABLE = (
    *(OSError, ValueError, NotImplementedError, EOFError),
    *(zlib.error, zipfile.BadZipFile, csv.Error, RuntimeError, Warning),
)
_TOO_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


def read_table(
    path: str | os.PathLike[str],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing_values: Iterable[str | float] = (),
) -> pd.DataFrame:
    """Read a table with named columns from a CSV, TSV, Excel, Parquet or NPZ file.

    Parameters
    ----------
    path : str or path
        ``.csv``, ``.tsv`` or ``.txt``, optionally followed by ``.gz``: the first line has the
        column names; a first column without a name has the names of the rows, also in files
        from R, whose first line has one name less. ``.xlsx``: the first sheet; this needs
        openpyxl. ``.zip`` with one such file. ``.parquet``.
        ``.npz``: an array ``X`` and optionally ``y``, which becomes the column "y", and
        ``feature_names``; by default the columns are named x0, x1, … A sparse matrix, as
        ``scipy.sparse.save_npz`` writes it, can take the place of ``X``.
    sep, decimal, encoding : str, optional
        The separator, the decimal mark ("." or ",") and the encoding of a text file. By default
        they are detected: commas, semicolons, tabs and vertical bars; UTF-8, UTF-16 and
        Windows-1252.
    missing_values : iterable of str or float, default=()
        Values that stand for missing ones in every column, such as -999 or "don't know". A number
        is kept in columns with smaller and larger values.

    Returns
    -------
    pandas.DataFrame
        A table with at least one row and unique column names.

    Raises
    ------
    InputError
        If the file is missing, of an unknown type, damaged or empty, or has duplicate column
        names.

    See Also
    --------
    sources.open_source : Open a table that does not fit into memory.
    data.load : Load a published data set.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.csv")
    ...     _ = file.write_text("petal;sepal;kind\\n1,5;2;iris\\n3;4,5;rose\\n")
    ...     read_table(file)
       petal  sepal  kind
    0    1.5    2.0  iris
    1    3.0    4.5  rose
    """
    path = Path(path).expanduser()
    given = TextFormat.given(sep, decimal, encoding)
    table = parse_table(read_bytes(path), path, given)[0]
    return with_missing_values(table, missing_values).table


def read_bytes(path: Path) -> bytes:
    """Return the content of a file that may be a table."""
    check_is_file(path)
    _ending(path)
    content = path.read_bytes()
    if not content:
        raise InputError(f"{path} is empty.")
    return content


def parse_table(
    content: bytes, path: Path, given: TextFormat = DETECTED
) -> tuple[pd.DataFrame, TextFormat | None]:
    """Parse the content of a file; return the table, and the format of a text file."""
    ending = _ending(path)
    try:
        table, text_format = READERS[ending](io.BytesIO(content), path, given)
    except InputError:
        raise
    except _UNREADABLE as error:
        reason = printable(" ".join(str(error).split())).rstrip(".") or type(error).__name__
        if reason.startswith("Length of header"):
            reason = TOO_FEW_NAMES
        if found := _TOO_LONG.search(reason):
            n_columns, line, n_values = found.groups()
            reason = f"line {line} has {n_values} values, but there are {n_columns} columns"
        raise InputError(f"{path} cannot be read as {ending}: {reason}.") from error
    check_names(path, list(table.columns))
    if table.empty:
        raise InputError(f"{path} has no rows, or no columns besides the rows' names.")
    return table, text_format


def column_names(path: Path, given: TextFormat = DETECTED) -> list[str] | None:
    """Return the column names of a text file, from its first line.

    Returns None for other files, and for files that :func:`parse_table` may not be able to read.
    """
    if READERS[_ending(path)] is not read_text:
        return None
    try:
        with path.open("rb") as file:
            return names_in_first_line(file, path, given)
    except _UNREADABLE:
        return None


def _ending(path: Path) -> str:
    ending = next((ending for ending in READERS if path.name.lower().endswith(ending)), None)
    if ending is None:
        from ipcae.sources.opening import SUFFIXES

        suffix = path.suffix.lower()
        if suffix in SUFFIXES:
            raise InputError(f"{path} is read in parts: open it with ipcae.sources.open_source.")
        advice = _ADVICE.get(suffix, " If it is a text, let its name end in .txt.")
        formats = ", ".join(dict.fromkeys((*READERS, *SUFFIXES)))
        raise InputError(f"{path} has an unknown format: expected one of {formats}.{advice}")
    return ending


_READ_BY_PANDAS = {".feather": "feather", ".json": "json", ".dta": "stata", ".pkl": "pickle"}
_READ_BY_PANDAS |= {".sas7bdat": "sas", ".sav": "spss"}
_ADVICE = (
    dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), " Save the spreadsheet as .xlsx or .csv.")
    | dict.fromkeys((".bz2", ".xz", ".zst", ".7z", ".rar", ".tar"), " Unpack it first.")
    | {
        ending: f" Convert it with pandas: pandas.read_{name}(path).to_parquet(new_path)."
        for ending, name in _READ_BY_PANDAS.items()
    }
)


def check_is_file(path: Path) -> None:
    """Raise an error if there is no such file; suggest files with a similar name."""
    if str(path) == "-" and not path.exists():
        raise InputError("a table cannot be read from standard input: save it as a file first.")
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    refuse_special(path)
    if path.exists():
        return
    if not path.parent.is_dir():
        raise InputError(f"{path} does not exist, nor does its folder.")
    # Of names that share their ending, such as .csv, the rest is compared.
    others = {other.stem: other.name for other in path.parent.iterdir()}
    near = [others[stem] for stem in get_close_matches(path.stem, others, n=3)]
    advice = f": did you mean {' or '.join(near)}?" if near else "."
    raise InputError(f"{path} does not exist{advice}")


def _read_parquet(file: BinaryIO, path: Path, given: TextFormat) -> Parsed:
    optional("pyarrow", "reading .parquet files", install="ipcae[tables]")
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    try:
        table = pandas.read_parquet(file)
    except Exception as error:  # the libraries raise many kinds
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return table.set_axis([str(name) for name in table.columns], axis=1), None


def _read_zip(file: BinaryIO, path: Path, given: TextFormat) -> Parsed:
    """Return the only table of an archive."""
    with zipfile.ZipFile(file) as archive:
        members = [info for info in archive.infolist() if info.filename.lower().endswith(_ZIPPED)]
        members = [info for info in members if not info.filename.startswith("__MACOSX")]
        if len(members) != 1:
            names = listed([printable(info.filename) for info in members]) or "none"
            raise ValueError(f"expected one table in it, such as a .csv file, but found {names}")
        (info,) = members
        if info.file_size > max(MOST_BYTES, MOST_TIMES * info.compress_size):
            sizes = f"{info.compress_size / 1e6:.1f} MB to {info.file_size / 1e9:.1f} GB"
            raise ValueError(f"{printable(info.filename)} would unpack from {sizes}")
        return parse_table(archive.read(info), path / info.filename, given)


def _read_npz(file: BinaryIO, path: Path, given: TextFormat) -> Parsed:
    return read_npz(file, path), None


READERS: dict[str, Callable[[BinaryIO, Path, TextFormat], Parsed]] = {
    ".csv": read_text,
    ".csv.gz": read_text,
    ".tsv": read_text,
    ".tsv.gz": read_text,
    ".txt": read_text,
    ".txt.gz": read_text,
    ".zip": _read_zip,
    ".xlsx": read_spreadsheet,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
}
"""The reader of each file type, by file extension."""

_ZIPPED = tuple(ending for ending in READERS if ending not in (".zip", ".npz"))
