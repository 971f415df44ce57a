"""Read the first sheet of an Excel workbook, as if it had been saved as a CSV file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ipcae.data.text_format import TextFormat
from ipcae.data.text_table import read_text
from ipcae.optional import optional

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
        cells = pandas.read_excel(file, engine="openpyxl", header=None, dtype=object)
    except Exception as error:  # the libraries raise many kinds
        raise ValueError(f"{type(error).__name__}: {error}") from error
    lines = cells.dropna(how="all").to_csv(header=False, index=False)
    return read_text(io.BytesIO(lines.encode()), path, _AS_CSV)
