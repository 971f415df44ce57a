"""Tables on the terminal and in piped output, with rich."""

from __future__ import annotations

from collections.abc import Collection

from rich import box
from rich.table import Table
from rich.text import Text

from ipcae.text import printable


def new_table(*header: str, left: Collection[int], wrap: Collection[int] = ()) -> Table:
    """Return an empty table.

    Parameters
    ----------
    header : str
        The names of the columns.
    left : collection of int
        Indices of the columns that are aligned to the left.
    wrap : collection of int
        Indices of the columns whose text is continued on the next line on narrow terminals.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for index, name in enumerate(header):
        table.add_column(
            Text(name),
            justify="left" if index in left else "right",
            no_wrap=index not in wrap,
            overflow="fold",
        )
    return table


def plain_spaces(text: str) -> str:
    """Return a text of a report for a terminal, where lines are not broken at spaces."""
    return text.replace("\u00a0", " ")


def add_row(table: Table, *cells: str) -> None:
    """Add a row of literal text, with control characters escaped."""
    table.add_row(*(Text(printable(cell)) for cell in cells))
