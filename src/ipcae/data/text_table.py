"""Read a text table, such as a CSV file, with pandas."""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

import numpy as np

from ipcae.arrays import Floats
from ipcae.data.decimal_commas import with_decimal_points
from ipcae.data.header_line import MOST_LINES, line_of_names
from ipcae.data.lines_below_names import lines_below_names
from ipcae.data.text_format import SPACES, TextFormat
from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.quantities import is_number
from ipcae.text import listed, shortened

if TYPE_CHECKING:
    import pandas as pd

# pandas takes 20 µs per column, which dominates for a million columns.
_WIDE = 100_000

# The first line of a file for a spreadsheet may name the separator.
_SEP_LINE = re.compile(rb"(?:\xef\xbb\xbf)?sep=([,;|\t])[\t,;|]*\r?\n", re.IGNORECASE)


TOO_FEW_NAMES = (
    "its lines have more values than the first line has names. If their first values name the "
    "rows, add a name for them"
)


def read_text(file: BinaryIO, path: Path, given: TextFormat) -> tuple[pd.DataFrame, TextFormat]:
    """Return the table of a text file, and its format."""
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    file, text = _opened(file, path, given)
    sep = cast(str, text.sep)
    # pandas would rename duplicate columns and shift rows that are longer than the header.
    names, *first = _first_rows(file, text, 2)
    from_r = bool(first) and len(first[0]) == len(names) + 1
    if len(names) == 1 or "" in names[1:] or len(set(names)) < len(names):
        _refuse_titles(path, file, text)
    check_names(path, [name for name in names if name])
    if len(names) > _WIDE and all(names):
        values = _numbers(file, text, len(names))
        if values is not None:
            return pandas.DataFrame(values, columns=names), text
    file.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        table = pandas.read_csv(
            file,
            sep=sep,
            decimal=text.decimal,
            encoding=text.encoding,
            index_col=None if from_r else False,
            low_memory=False,
        )
    if len(table) and table.iloc[-1].isna().all():
        table = table.iloc[: len(table) - _count_empty_at_end(file, text)]
    if from_r:
        _check_row_names(table)
    table.columns = table.columns.str.strip()
    table = _without_empty(table, names, path)
    _refuse_second_header(table, names, path)
    _refuse_lines_below(table, path)
    if text.decimal == ",":
        table = with_decimal_points(table)
    if names[0] == "":
        table = table.set_index(table.columns[0]).rename_axis(None)
    if names[0] == "" or from_r:
        table.attrs["row_names"] = True
    return table, text


def _count_empty_at_end(file: BinaryIO, text: TextFormat) -> int:
    """Return how many of the last lines have nothing but separators, as spreadsheets write them."""
    with _as_text(file, text) as lines:
        last_first = reversed([line for line in lines if line.strip(" \t\r\n") or "\t" in line])
        empty = takewhile(lambda line: not line.strip(f'{text.sep}" \t\r\n'), last_first)
        return sum(1 for _ in empty)


def _check_row_names(table: pd.DataFrame) -> None:
    """Raise an error unless the values without a column name identify the rows, as in R's files.

    They are texts, or 1, 2, 3, … Otherwise, a name may be missing, lines may end in separators, or
    the names of the columns may be below titles.
    """
    names = table.index
    numbers = getattr(names.dtype, "kind", "O") in "biuf"
    counted = numbers and np.array_equal(names, np.arange(1, len(names) + 1))
    unclear = len(names) < 2 or not names.is_unique or names.hasnans or (numbers and not counted)
    if unclear or table.iloc[:, -1].isna().all() or _has_names_in_first_row(table):
        raise ValueError(TOO_FEW_NAMES)


def _has_names_in_first_row(table: pd.DataFrame) -> bool:
    """Return whether the first row has words only, and others have numbers."""
    words = all(isinstance(value, str) and not is_number(value) for value in table.iloc[0])
    others = (column.iloc[1:].astype(str) for _, column in table.items())
    return words and any(all(map(is_number, column)) for column in others)


def _refuse_titles(path: Path, file: BinaryIO, text: TextFormat) -> None:
    """Raise an error if the column names are below other lines, such as titles."""
    with _as_text(file, text) as lines:
        found = line_of_names([line.rstrip("\r\n") for line in islice(lines, MOST_LINES)])
    if found is not None:
        number, names = found
        above = "line above it" if number == 2 else "lines above it"
        raise InputError(
            f"{path} seems to have its column names in line {number} ({listed(names)}): expected "
            f"them in the first line. Delete the {above}."
        )


def _without_empty(table: pd.DataFrame, names: list[str], path: Path) -> pd.DataFrame:
    """Return a table without its columns that have neither a name nor values."""
    unnamed = [column for column, name in enumerate(names) if column and not name]
    with_values = [column for column in unnamed if not table.iloc[:, column].isna().all()]
    if with_values:
        numbers = listed([str(column + 1) for column in with_values])
        raise InputError(
            f"{path} has no name for {'column' if len(with_values) == 1 else 'columns'} {numbers}: "
            "add names in the first line, one per column (merged cells name only one)."
        )
    return table.drop(columns=table.columns[unnamed]) if unnamed else table


def _refuse_second_header(table: pd.DataFrame, names: list[str], path: Path) -> None:
    """Raise an error if a row repeats the column names, as in files that were joined."""
    if len(names) < 2 or table.dtypes.iloc[0].kind in "biuf":
        return
    alike = table.iloc[:, 0].astype(str).str.strip() == names[0]
    for row in np.flatnonzero(alike)[:10]:
        cells = table.iloc[row].astype(str).str.strip()
        if cells.tolist() == table.columns.tolist():
            raise InputError(
                f"{path} repeats its column names in row {row + 1} of the values: delete this line."
            )


def _refuse_lines_below(table: pd.DataFrame, path: Path) -> None:
    """Raise an error if there are units, texts of questions or the like below the names."""
    lines = lines_below_names(table)
    if lines:
        what = "a line" if len(lines) == 1 else f"{len(lines)} lines"
        this = "this line" if len(lines) == 1 else "these lines"
        texts = [shortened(text, 40) for text in lines[0]]
        raise InputError(
            f"{path} seems to have {what} of units or descriptions below the column names "
            f"({listed(texts)}): expected values. Delete {this}, or exchange rows and columns if "
            "every column is a sample."
        )


def _opened(file: BinaryIO, path: Path, given: TextFormat) -> tuple[BinaryIO, TextFormat]:
    """Return the uncompressed file and its format."""
    if path.name.lower().endswith(".gz"):
        file = cast(BinaryIO, gzip.GzipFile(fileobj=file))
    file.seek(0)
    if line := _SEP_LINE.match(file.read(16)):
        file.seek(line.end())
        file, given = io.BytesIO(file.read()), replace(given, sep=given.sep or line[1].decode())
    text = given.detected(file, "\t" if ".tsv" in path.name.lower() else ",")
    if text.sep == SPACES:
        with _as_text(file, text) as lines:
            single = "\n".join(" ".join(line.split()) for line in lines)
        file, text = io.BytesIO(single.encode(cast(str, text.encoding))), replace(text, sep=" ")
    return file, text


def _first_rows(file: BinaryIO, text: TextFormat, most: int) -> list[list[str]]:
    """Return the cells of the first nonblank lines, at least of one."""
    with _as_text(file, text) as lines:
        found = list(islice(_nonblank(lines, cast(str, text.sep)), most))
    if not found:
        raise ValueError("No columns: every line is blank")
    return found


def _nonblank(lines: TextIO, sep: str) -> Iterator[list[str]]:
    for cells in csv.reader(lines, delimiter=sep):
        if len(cells) > 1 or (cells and cells[0].strip(" \t")):
            yield [cell.strip() for cell in cells]


def _numbers(file: BinaryIO, text: TextFormat, n_columns: int) -> Floats | None:
    """Read numeric rows, or return None if there are other values."""
    if text.decimal != ".":
        return None
    sep = cast(str, text.sep)
    with _as_text(file, text) as lines, warnings.catch_warnings():
        warnings.simplefilter("error")  # no rows
        next(_nonblank(lines, sep))
        try:
            values = np.loadtxt(lines, delimiter=sep, comments=None, ndmin=2)
        except (ValueError, UserWarning):
            return None
    return values if values.shape[1] == n_columns else None


@contextmanager
def _as_text(file: BinaryIO, text: TextFormat) -> Iterator[TextIO]:
    """Read a file as text from its beginning, and leave it open."""
    file.seek(0)
    lines = io.TextIOWrapper(file, encoding=text.encoding, newline="")
    try:
        yield lines
    finally:
        lines.detach()


def names_in_first_line(file: BinaryIO, path: Path, given: TextFormat) -> list[str] | None:
    """Return the column names, or None if they may be in another line."""
    (names,) = _first_rows(*_opened(file, path, given), most=1)
    if len(names) == 1 or "" in names[1:]:
        return None
    return names[1:] if names[0] == "" else names


def check_names(path: Path, names: list[str]) -> None:
    """Raise an error if several columns have the same name."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated and all(map(is_number, names)):
        raise InputError(
            f"the first line of {path} has numbers ({listed(names)}) instead of column names: add "
            "a line with the names."
        )
    if repeated:
        raise InputError(
            f"{path} has several columns of the same name ({listed(repeated)}): give every column "
            "a name of its own, as pandas.read_csv(...).to_csv(..., index=False) does."
        )
