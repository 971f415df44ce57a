"""Read the first sheet of an Excel workbook, as if it had been saved as a CSV file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ipcae.data.text_format import TextFormat
from ipcae.data.text_table import read_text
from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.text import listed

if TYPE_CHECKING:
    import pandas as pd

_AS_CSV = TextFormat(",", ".", "utf-8")


def read_spreadsheet(
    file: BinaryIO, path: Path, given: TextFormat
) -> tuple[pd.DataFrame, TextFormat]:
    """Return the table of the first sheet; its cells are read like those of a text file.

    So titles above the names, repeated names and columns without a name are treated alike.
    """
    pandas = optional("pandas", "reading tables", install="ipcae[tables]")
    optional("openpyxl", "reading .xlsx files", install="openpyxl")
    try:
        book = pandas.ExcelFile(file, engine="openpyxl")
        cells = book.parse(0, header=None, dtype=object)
    except Exception as error:  # the libraries raise many kinds
        raise ValueError(f"{type(error).__name__}: {error}") from error
    cells = cells.dropna(how="all")
    unread = _unread(book.sheet_names)
    if len(cells) < 2 and unread:
        raise InputError(f"{path} has no rows. {unread} Put the sheet of the table first.")
    lines = cells.to_csv(header=False, index=False)
    try:
        table, text_format = read_text(io.BytesIO(lines.encode()), path, _AS_CSV)
    except InputError as error:
        raise InputError(f"{error} {unread}".rstrip()) from None
    table.attrs["unread"] = unread
    return table, text_format


def _unread(sheets: Sequence[object]) -> str:
    """Return a sentence about the sheets that are not read, "" if there is only one.

    >>> _unread(["Read me", "data", "old"])
    'Only the first sheet, "Read me", is read, not data, old.'
    """
    first, *others = map(str, sheets)
    return f'Only the first sheet, "{first}", is read, not {listed(others)}.' if others else ""
