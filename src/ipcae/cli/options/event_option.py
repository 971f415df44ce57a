"""``--event``: a column, or a column and the value that it has if the event happened."""

from __future__ import annotations

from collections.abc import Sequence


def split_event(option: str, names: Sequence[str]) -> tuple[str, str | None]:
    """Return the column, and the value if one is given.

    >>> split_event("status=2", ["time", "status"]), split_event("dead", ["time", "dead"])
    (('status', '2'), ('dead', None))
    >>> split_event("a=b", ["time", "a=b"])
    ('a=b', None)
    """
    if option in names or "=" not in option:
        return option, None
    column, _, value = option.rpartition("=")
    return column.strip(), value.strip()
