"""The line of a text file that has the column names, if there are titles above it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

from ipcae.data.text_format import SEPARATORS

MOST_LINES = 50
"""The column names are looked for in as many lines."""


def line_of_names(lines: Sequence[str]) -> tuple[int, list[str]] | None:
    """Return the number of the line with the column names, and the names.

    It is the first line with as many cells as most lines have, all of them different names, except
    for empty ones at the end. Return None if that is the first line, or if there is no such line.

    >>> line_of_names(["Plant 3", "", "day;temperature", "1;20,5", "2;21,0"])
    (3, ['day', 'temperature'])
    >>> line_of_names(["measured;;result", "day;temperature;yield", "1;20;5", "2;21;6"])
    (2, ['day', 'temperature', 'yield'])
    >>> line_of_names(["pump,pump", "flow,heat", "1,20.5", "2,21.0"])
    (2, ['flow', 'heat'])
    >>> line_of_names(["day,temperature", "1,20.5", "2,21.0"])
    """
    lines = lines[:MOST_LINES]
    found: tuple[int, list[str]] | None = None
    for sep in SEPARATORS:
        rows = [[cell.strip() for cell in row] for row in _rows(lines, sep)]
        widths = Counter(len(row) for row in rows if any(row))
        width = max(widths, key=lambda n: widths[n], default=0)
        if width < 2 or widths[width] < 2 or (found and width <= len(found[1])):
            continue
        for number, row in enumerate(rows, 1):
            if len(row) == width and (names := _names_in(row)):
                found = number, names
                break
    return found if found and found[0] > 1 else None


def _names_in(row: list[str]) -> list[str]:
    """Return the names in a row, none if one repeats, is a number, or is empty before the last."""
    while row and not row[-1]:
        row = row[:-1]
    names = all(re.search(r"^\D*[^\W\d]", cell) for cell in row)
    return row if names and len(set(row)) == len(row) > 1 else []


def _rows(lines: Sequence[str], sep: str) -> list[list[str]]:
    """Return the cells of every line, none if a quoted cell contains several lines."""
    try:
        rows = [next(csv.reader([line], delimiter=sep), []) for line in lines]
    except csv.Error:
        return []
    return rows
