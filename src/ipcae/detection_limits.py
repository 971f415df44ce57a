"""Numbers below or above a limit, written as "<0.5", "> 20" or "3+"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LIMIT = re.compile(r"(?P<sign>[<>]=?|[≤≥])\s*(?P<number>[\d.,+−-].*)")
_OR_MORE = re.compile(r"(\d+)\s*(?:\+|(?:or|and) (?:more|above|over|older))", re.I)


def split_limits(texts: Iterable[str | None]) -> tuple[list[str], list[str | None]]:
    """Return the signs of limits, "" where there is none, and the texts without them.

    >>> split_limits(["<0.5", "1.2", "> 20 mg", None, "<unknown>"])
    (['<', '', '>', '', ''], ['0.5', '1.2', '20 mg', None, '<unknown>'])
    >>> split_limits(["2", "3+", "5 or more"])
    (['', '≥', '≥'], ['2', '3', '5'])
    """
    signs, bare = [], []
    for text in texts:
        found = None if text is None else _LIMIT.fullmatch(text.strip())
        more = None if text is None or found else _OR_MORE.fullmatch(text.strip())
        signs.append(found["sign"] if found else "≥" if more else "")
        bare.append(found["number"] if found else more[1] if more else text)
    return signs, bare
