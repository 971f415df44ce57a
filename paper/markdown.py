"""Markdown tables that are also readable in a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBER = re.compile(r"[*+-]*[\d.]+( ± [\d.]+|/\d+)?[*×]*")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with aligned columns, numbers to the right.

    >>> print(table(["method", "ours"], [["cae", "1.5"]]))
    | method | ours |
    | ------ | ---: |
    | cae    |  1.5 |
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [max(3, *(len(text) for text in column)) for column in columns]
    right = [any(_numeric(text) for text in column[1:]) for column in columns]
    rules = ["-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True)]
    lines = [_line(header, widths, right), _line(rules, widths, right)]
    return "\n".join(lines + [_line(row, widths, right) for row in rows])


def _numeric(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def _line(texts: Sequence[str], widths: list[int], right: list[bool]) -> str:
    cells = [
        text.rjust(width) if to_right else text.ljust(width)
        for text, width, to_right in zip(texts, widths, right, strict=True)
    ]
    return f"| {' | '.join(cells)} |"
