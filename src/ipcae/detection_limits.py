"""Numbers below or above a detection limit, written as "<0.5" or "> 20"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LIMIT = re.compile(r"(?P<sign>[<>]=?|[≤≥])\s*(?P<number>[\d.,+−-].*)")


def split_limits(texts: Iterable[str | None]) -> tuple[list[str], list[str | None]]:
    """Return the signs of limits, "" where there is none, and the texts without them.

    >>> split_limits(["<0.5", "1.2", "> 20 mg", None, "<unknown>"])
    (['<', '', '>', '', ''], ['0.5', '1.2', '20 mg', None, '<unknown>'])
    """
    signs, bare = [], []
    for text in texts:
        found = None if text is None else _LIMIT.fullmatch(text.strip())
        signs.append(found["sign"] if found else "")
        bare.append(found["number"] if found else text)
    return signs, bare
