"""Columns given by names, indices, a mask or patterns."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ipcae.errors import InputError
from ipcae.text import shortened, similar_name

EXPECTED = "expected a name, an index, a mask or a pattern"


def columns_of(
    given: Any,
    names: Sequence[str],
    argument: str,
    groups: Mapping[str, tuple[int, ...]] | None = None,
) -> list[int]:
    """Return the indices of the given columns, in ascending order.

    They are given by names, indices from 0, a boolean for every column, or patterns: a string that
    is not the name of a column is a regular expression, matched anywhere in a name. The name of a
    group, or one of its columns, stands for all its columns. Errors name the argument.

    >>> names = ["age", "MT-CO1", "MT-ND2", "RPS6"]
    >>> columns_of(["^MT-", "age"], names, "exclude")
    [0, 1, 2]
    >>> columns_of([False, True, False, False], names, "exclude")
    [1]
    >>> columns_of("Age", names, "include")  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: include='Age' matches no column: expected a name, an index, a mask or a
    pattern. Did you mean 'age'?
    """
    if given is None:
        return []
    items = _listed(given, argument)
    if any(isinstance(item, bool | np.bool_) for item in items):
        items = _of_mask(items, len(names), argument)
    groups = groups or {}
    known = {**groups, **{name: (index,) for index, name in enumerate(names)}}
    found: set[int] = set()
    for item in items:
        found.update(_of_item(item, names, known, argument))
    for columns in groups.values():
        if found.intersection(columns):
            found.update(columns)
    return sorted(found)


def _listed(given: Any, argument: str) -> list[Any]:
    n_axes = getattr(given, "ndim", None)
    if isinstance(given, str) or n_axes == 0 or not isinstance(given, Iterable):
        return [given]
    if isinstance(given, dict | bytes) or n_axes not in (None, 1):
        raise InputError(f"{argument}={shown(given)} is not understood: {EXPECTED}.")
    return list(given)


def _of_mask(items: list[Any], n_features: int, argument: str) -> list[int]:
    if not all(isinstance(item, bool | np.bool_) for item in items) or len(items) != n_features:
        raise InputError(
            f"{argument} is a mask of {len(items)} values for {n_features} columns: expected True "
            "or False for every column."
        )
    return np.flatnonzero(items).tolist()


def _of_item(
    item: Any, names: Sequence[str], known: dict[str, tuple[int, ...]], argument: str
) -> Iterable[int]:
    if isinstance(item, str):
        return known[item] if item in known else _of_pattern(item, names, list(known), argument)
    try:
        index = operator.index(item)
    except TypeError:
        raise InputError(f"{argument}={shown(item)} is not understood: {EXPECTED}.") from None
    if not 0 <= index < len(names):
        raise InputError(
            f"{argument} has the index {index}: expected indices from 0 to {len(names) - 1}."
        )
    return (index,)


def _of_pattern(
    pattern: str, names: Sequence[str], known: list[str], argument: str
) -> Iterable[int]:
    try:
        search = re.compile(pattern).search
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"{argument}={shown(pattern)} is neither a name nor a valid pattern ({error}): "
            f"{EXPECTED}."
        ) from error
    found = [index for index, name in enumerate(names) if search(name)]
    if not found:
        near = similar_name(pattern, known)
        hint = f" Did you mean {near!r}?" if near else ""
        if "," in pattern and all(part.strip() in known for part in pattern.split(",")):
            hint = " Give several columns one by one."
        raise InputError(f"{argument}={shown(pattern)} matches no column: {EXPECTED}.{hint}")
    return found


def shown(value: Any) -> str:
    """Return a value as short text."""
    return shortened(" ".join(repr(value).split()), 60)
