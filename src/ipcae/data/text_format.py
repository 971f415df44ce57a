"""The format of a text table: separator, decimal mark and encoding, detected or given."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from ipcae.errors import InputError, invalid_argument
from ipcae.quantities import is_number

SEPARATORS = {
    ",": "a comma",
    ";": "a semicolon",
    "\t": "a tab",
    "|": "a vertical bar",
    " ": "a space",
}
"""The separators that are detected, with their names."""

SPACES = "  "
"""Stands for any number of spaces or tabs between two cells, as in columns that are aligned."""

_SPELLED = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t", "space": " ", "pipe": "|"}
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE_BYTES, _SAMPLE_LINES = 2**18, 100
_CHUNK_BYTES = 2**22

_DOT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?|[+-]?\d+\.")
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_QUOTED = re.compile(r'"[^"]*"( "[^"]*")+\s*')
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True)
class TextFormat:
    """The format of a text file. None means that it is detected."""

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    @classmethod
    def given(
        cls, sep: str | None = None, decimal: str | None = None, encoding: str | None = None
    ) -> TextFormat:
        """Return the format with these parts, or raise an error if one is not understood.

        >>> TextFormat.given(sep="tab", decimal=",")
        TextFormat(sep='\\t', decimal=',', encoding=None)
        """
        sep = _SPELLED.get(sep, sep) if sep is not None else None
        if sep is not None and (len(sep) != 1 or sep in '"\r\n' or sep.isalnum()):
            raise invalid_argument("sep", sep, "one character, such as ';', or 'tab'")
        if decimal not in (None, ".", ","):
            raise invalid_argument("decimal", decimal, "'.' or ','")
        if sep is not None and sep == decimal:
            raise InputError(f"sep and decimal are both {sep!r}: expected different characters.")
        if encoding is not None:
            try:
                encoding = codecs.lookup(encoding).name
            except (LookupError, ValueError) as error:
                raise InputError(
                    f"encoding={encoding!r} is unknown: expected a name such as utf-8, cp1252 or "
                    "utf-16."
                ) from error
        return cls(sep, decimal, encoding)

    def detected(self, file: BinaryIO, default_sep: str) -> TextFormat:
        """Return the format with the parts that were not given detected from a file."""
        encoding = self.encoding or detect_encoding(file)
        file.seek(0)
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(file.read(_SAMPLE_BYTES))
        except UnicodeDecodeError as error:
            raise ValueError(f"it is not {encoding} text ({error.reason})") from error
        lines = text.splitlines()
        if len(lines) > 1 and len(text) >= _SAMPLE_BYTES // 8:
            lines.pop()  # it may be cut
        lines = [line for line in lines if line.strip()][:_SAMPLE_LINES]
        sep = self.sep or _detect_separator(lines, default_sep)
        if self.sep is None and not any(sep in line for line in lines):
            lines = [" ".join(line.split()) for line in lines]
            sep = SPACES if _detect_separator(lines, sep) == " " else sep
        decimal = self.decimal or _detect_decimal(lines, sep[:1])
        return TextFormat(sep, decimal, encoding)

    def __str__(self) -> str:
        sep = SEPARATORS.get(self.sep or "", repr(self.sep))
        comma = ", with decimal commas" if self.decimal == "," else ""
        return f"{self.encoding} text, separated by {sep}{comma}"


DETECTED = TextFormat()
"""All parts of the format are detected."""


def detect_encoding(file: BinaryIO) -> str:
    """Return the encoding of a file: that of its byte order mark, UTF-8, or Windows-1252.

    >>> import io
    >>> [detect_encoding(io.BytesIO("Größe".encode(e))) for e in ("utf-8", "utf-16", "latin-1")]
    ['utf-8', 'utf-16', 'cp1252']
    """
    file.seek(0)
    start = file.read(4096)
    for mark, encoding in _BOMS.items():
        if start.startswith(mark):
            return encoding
    if 0 in start:
        # Ordinary characters in two bytes, one of which is zero.
        encoding = "utf-16-le" if start[1::2].count(0) >= start[::2].count(0) else "utf-16-be"
        if start.count(0) < len(start) // 4:
            raise ValueError("it contains binary data")
        return encoding
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(file):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _one_byte_encoding(file)
    return "utf-8"


def _one_byte_encoding(file: BinaryIO) -> str:
    undefined = b"\x81\x8d\x8f\x90\x9d"
    if any(chunk.translate(None, undefined) != chunk for chunk in _chunks(file)):
        return "latin-1"
    return "cp1252"


def _chunks(file: BinaryIO) -> Iterable[bytes]:
    file.seek(0)
    return iter(lambda: file.read(_CHUNK_BYTES), b"")


_COMPLETE = 0.9  # share of the lines


def _detect_separator(lines: list[str], default: str) -> str:
    """Return the separator that gives the same number of cells in every line.

    If there are several, return the one with the most numbers. Spaces, which are often part of
    texts, only separate numbers or quoted names. In files from R, the first line has one cell less,
    because the names of the rows have no name. A few lines, such as footnotes, may have fewer
    cells, if no separator gives the same number. Without any separator, return the default.

    >>> _detect_separator(["a, kg;b, m", "1,5;2,25", "3,0;4,75"], ",")
    ';'
    >>> _detect_separator(["a b", "1.5 2.25"], ","), _detect_separator(["my name", "Jo Doe"], ",")
    (' ', ',')
    >>> _detect_separator(["a;b", *["1,5;2,25"] * 20, "Source: us, 2024"], ",")
    ';'
    >>> _detect_separator(['"a"\\t"b"', '"row 1"\\t1.5\\t2.25'], ",")
    '\\t'
    """
    for n_unnamed, complete in ((0, 1.0), (1, 1.0), (0, _COMPLETE)):
        best, most = None, -1.0
        for sep in sorted(SEPARATORS, key=lambda sep: sep != default):
            rows = _cells(lines, sep)
            if not rows or len(rows[0]) < 2:
                continue
            widths = [len(row) - n_unnamed for row in rows[1:]]
            n_complete = widths.count(len(rows[0]))
            if n_complete < complete * len(widths) or max(widths, default=0) > len(rows[0]):
                continue
            cells = [cell for row in rows[1:] for cell in row if cell]
            n_numbers = sum(is_number(cell.replace(",", ".", 1)) for cell in cells)
            numbers = n_numbers / max(len(cells), 1)
            fewest = 0.5 if sep == " " and not _QUOTED.fullmatch(lines[0]) else -1.0
            if numbers > max(most, fewest):
                best, most = sep, numbers
        if best is not None:
            return best
    return default


def _detect_decimal(lines: list[str], sep: str) -> str:
    """Return "," if more numbers are written with it than with a point.

    >>> _detect_decimal(["a;b", "1,5;2"], ";"), _detect_decimal(["a;b", "1,234;2"], ";")
    (',', '.')
    """
    if sep == ",":
        return "."
    cells = [cell for row in _cells(lines, sep)[1:] for cell in row]
    with_comma = [cell for cell in cells if _COMMA.fullmatch(cell)]
    # Numbers such as 1,234 may have a separator of thousands.
    plain = any(not _THOUSANDS.fullmatch(cell) for cell in with_comma)
    n_dots = sum(_DOT.fullmatch(cell) is not None for cell in cells)
    return "," if plain and len(with_comma) > n_dots else "."


def _cells(lines: list[str], sep: str) -> list[list[str]]:
    try:
        rows = islice(csv.reader(lines, delimiter=sep), _SAMPLE_LINES)
        return [[cell.strip() for cell in row] for row in rows]
    except csv.Error:
        return []
