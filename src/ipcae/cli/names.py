"""Column names as lines of selected.txt and as cells of CSV files."""

from __future__ import annotations

import json

from ipcae.quantities import is_number
from ipcae.text import printable

# Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_MARK = "'"


def as_line(name: str) -> str:
    r"""Return a name as one line: as JSON if it has control characters or starts with a quote.

    >>> print(as_line("weight"), as_line("two\nlines"), as_line('"quoted"'))
    weight "two\nlines" "\"quoted\""
    """
    plain = name == printable(name) and not name.startswith('"')
    return name if plain else json.dumps(name)


def from_line(line: str) -> str:
    r"""Return the name that :func:`as_line` wrote.

    >>> from_line('"two\\nlines"')
    'two\nlines'
    """
    return str(json.loads(line)) if line.startswith('"') else line


def as_cell(name: str) -> str:
    """Return a name as a cell; an apostrophe is added if a spreadsheet would run it as a formula.

    >>> as_cell("=1+1"), as_cell("-2.5"), as_cell("weight")
    ("'=1+1", '-2.5', 'weight')
    """
    return _MARK + name if name.startswith(_FORMULA) and not is_number(name) else name


def from_cell(cell: str) -> str:
    """Return the name that :func:`as_cell` wrote.

    >>> from_cell("'=1+1"), from_cell("'quoted'")
    ('=1+1', "'quoted'")
    """
    bare = cell.removeprefix(_MARK)
    return bare if as_cell(bare) == cell else cell
