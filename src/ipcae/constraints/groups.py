"""Groups of columns that are selected together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ipcae.constraints.columns import columns_of, shown
from ipcae.errors import InputError
from ipcae.text import listed

Groups = dict[str, tuple[int, ...]]

_EXPECTED = (
    "expected a dict of names to columns, a list of lists of columns, or one label per column"
)


def groups_of(given: Any, names: Sequence[str]) -> Groups:
    """Return the columns of every group by its name.

    Groups are given as columns by the name of the group, as lists of columns, or as a label for
    every column, where None and NaN are for columns that are in no group.

    >>> names = ["x", "y", "z", "temperature"]
    >>> groups_of({"acceleration": ["x", "y", "z"]}, names)
    {'acceleration': (0, 1, 2)}
    >>> groups_of([["^[xyz]$"]], names)
    {'x, y, z': (0, 1, 2)}
    >>> groups_of(["a", "a", None, "b"], names)
    {'a': (0, 1), 'b': (3,)}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        named = {str(name): columns for name, columns in given.items()}
    else:
        items = _items(given)
        if all(isinstance(item, Iterable) and not isinstance(item, str | bytes) for item in items):
            return _checked(_of_lists(items, names), names)
        named = _of_labels(items, names)
    groups = {
        name: tuple(columns_of(columns, names, f"feature_groups[{name!r}]"))
        for name, columns in named.items()
    }
    return _checked(groups, names)


def _items(given: Any) -> list[Any]:
    scalar = isinstance(given, str | bytes) or getattr(given, "ndim", None) == 0
    if scalar or not isinstance(given, Iterable):
        raise InputError(f"feature_groups={shown(given)} is not understood: {_EXPECTED}.")
    return list(given)


def _of_lists(items: list[Any], names: Sequence[str]) -> Groups:
    groups: Groups = {}
    for number, item in enumerate(items):
        columns = tuple(columns_of(item, names, f"feature_groups[{number}]"))
        groups[listed([names[column] for column in columns], 3)] = columns
    return groups


def _of_labels(items: list[Any], names: Sequence[str]) -> dict[str, list[int]]:
    if len(items) != len(names):
        raise InputError(
            f"feature_groups has {len(items)} labels for {len(names)} columns: {_EXPECTED}."
        )
    groups: dict[str, list[int]] = {}
    for column, label in enumerate(items):
        if label is not None and label == label:  # NaN is not equal to itself
            groups.setdefault(str(label), []).append(column)
    return groups


def _checked(groups: Groups, names: Sequence[str]) -> Groups:
    groups = {name: columns for name, columns in groups.items() if columns}
    members = [column for columns in groups.values() for column in columns]
    found, times = np.unique(members, return_counts=True)
    twice = [names[column] for column in found[times > 1]]
    if twice:
        raise InputError(
            f"Columns are in several groups ({listed(twice)}): expected each in at most one of "
            "feature_groups."
        )
    return groups
