"""Limits on the number of columns selected from a set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ipcae.constraints.columns import columns_of, shown
from ipcae.constraints.groups import Groups
from ipcae.errors import InputError

Limits = tuple[tuple[int, tuple[int, ...]], ...]


def limits_of(given: Any, names: Sequence[str], groups: Groups) -> Limits:
    """Return limits as pairs: at most this number of these columns.

    The columns are given as for :func:`columns_of`; a single pair need not be in a list.

    >>> limits_of([(1, ["a", "b"]), (2, "^EEG")], ["a", "b", "EEG1", "EEG2"], {})
    ((1, (0, 1)), (2, (2, 3)))
    """
    if given is None:
        return ()
    pairs = (
        [given] if isinstance(given, tuple) and len(given) == 2 and _is_count(given[0]) else given
    )
    if isinstance(pairs, str | dict) or not isinstance(pairs, Iterable):
        raise _not_understood(given)
    limits = []
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise _not_understood(pair)
        most, columns = pair
        if not _is_count(most):
            raise _not_understood(pair)
        limits.append((int(most), tuple(columns_of(columns, names, "at_most", groups))))
    return tuple(limits)


def _is_count(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and value >= 1


def _not_understood(given: Any) -> InputError:
    return InputError(
        f"at_most={shown(given)} is not understood: expected a list of pairs of a number and "
        "columns, such as [(1, ['left', 'right'])]."
    )
