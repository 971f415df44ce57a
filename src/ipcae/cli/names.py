"""Names of columns in the files for people: one on a line, or one in a cell."""

from __future__ import annotations

import json

from ipcae.text import printable

# What begins a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_MARK = "'"


def as_line(name: str) -> str:
    r"""Return a name on one line: as JSON if it holds a control character or begins with a quote.

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
    """Return a name that no spreadsheet takes for a formula: an apostrophe marks such a one.

    >>> as_cell("=1+1"), as_cell("-2.5"), as_cell("weight")
    ("'=1+1", '-2.5', 'weight')
    """
    return _MARK + name if name.startswith(_FORMULA) and not _is_number(name) else name


def from_cell(cell: str) -> str:
    """Return the name that :func:`as_cell` wrote.

    >>> from_cell("'=1+1"), from_cell("'quoted'")
    ('=1+1', "'quoted'")
    """
    bare = cell.removeprefix(_MARK)
    return bare if as_cell(bare) == cell else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
