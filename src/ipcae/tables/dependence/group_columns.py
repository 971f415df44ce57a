"""Columns that tell which rows belong together, such as the visits of a patient."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.arrays import Floats
from ipcae.tables.encodings.encoding import Encoding

_NAME = re.compile(
    r"(^|[\W_])[up]?id$"
    r"|^(patient|subject|participant|donor|person|animal|customer|user|household|machine)"
    r"([\W_]?(id|nr|no|number|code))?$",
    re.I,
)
_CAMEL_CASE = re.compile(r"[a-z]I[Dd]$")
_FEWEST_NAMED, _FEWEST_ROWS = 5, 1.2  # rows per group, on average


def columns_of_groups(frame: pd.DataFrame, encoding: Encoding, coded: Floats) -> list[str]:
    """Return columns whose values are repeated and identify something, by their name.

    >>> table = pd.DataFrame({"patient_id": [8, 8, 5, 5, 9, 9, 2, 2, 3, 3], "age": range(10)})
    >>> encoding = Encoding.of(table)
    >>> columns_of_groups(table, encoding, encoding.code(table).numpy())
    ['patient_id']
    """
    found = []
    for index, (name, coding) in enumerate(zip(encoding.names, encoding.codings, strict=True)):
        named = bool(_NAME.search(name) or _CAMEL_CASE.search(name))
        text = coding.kind == "text"
        if coding.n_missing or not named or coding.kind == "date":
            continue
        values = frame.iloc[:, index] if text else coded[:, index]
        distinct = np.asarray(pd.unique(values))
        if not _FEWEST_NAMED <= len(distinct) <= len(values) / _FEWEST_ROWS:
            continue
        if text or np.all(distinct % 1 == 0):
            found.append(name)
    return found


_FEWEST_GROUPS, _MANY_GROUPS = 6, 20
_CHANCE = 1e-6
"""Rows of a group agree by chance at most with this probability."""
_MOST_VALUES, _MOST_COLUMNS = 20_000_000, 1000


def column_of_groups(X: pd.DataFrame, y: Any) -> str | None:
    """Return a column whose rows of the same value always have the same target, or None.

    The column has text or whole numbers, at least six values of several rows each, and so many
    rows would not agree by chance. Another name of a class is no group, nor are numbers that rise
    with the class: they may be a leak. Twenty or more are groups if equal ones are neighbors, or if
    most have a target of their own.

    >>> rows = pd.DataFrame({"patient": np.arange(60) // 3, "age": np.arange(60) % 7})
    >>> column_of_groups(rows, np.arange(60) // 3 % 2)
    'patient'
    >>> column_of_groups(rows, np.arange(60) % 2) is None
    True
    """
    if X.size > _MOST_VALUES or np.ndim(y) != 1:
        return None
    target, labels = pd.factorize(np.asarray(y))
    fractions = labels.dtype.kind == "f" and bool((labels % 1 != 0).any())
    fewest = max(_FEWEST_GROUPS, 0 if fractions else len(labels) + 1)
    for name in X.columns[:_MOST_COLUMNS]:
        values = X[name]
        if values.dtype.kind == "f" and not (values.dropna() % 1 == 0).all():
            continue
        known = values.notna().to_numpy()
        try:
            groups, names = pd.factorize(values[known])
        except TypeError:  # lists or the like, in a column that is not used
            continue
        if len(names) >= fewest and _agree(groups, target[known]):
            first = target[known][np.unique(groups, return_index=True)[1]]
            in_blocks = np.count_nonzero(np.diff(groups)) < len(names)
            own_targets = len(np.unique(first)) > len(names) / 2
            sure = len(names) >= _MANY_GROUPS and (in_blocks or own_targets)
            if sure or not _rise_together(names, first):
                return str(name)
    return None


def _rise_together(names: Any, target: NDArray[np.int64]) -> bool:
    """Return whether every class has successive numbers, given the class of every number."""
    if np.asarray(names).dtype.kind not in "iuf":
        return False
    changes = np.diff(target[np.argsort(names)]) != 0
    return bool(changes.sum() < len(np.unique(target)))


def _agree(groups: NDArray[np.int64], target: NDArray[np.int64]) -> bool:
    """Return whether all rows of every group have the same target, and not by chance."""
    sizes = np.bincount(groups)
    several = sizes[sizes > 1]
    if len(several) < _FEWEST_GROUPS or several.sum() < len(groups) / 2:
        return False
    first = np.empty(len(sizes), dtype=np.int64)
    first[groups] = target
    if (first[groups] != target).any():
        return False
    shares = np.bincount(target) / len(target)
    logs = [math.log((shares**size).sum()) for size in several]
    return sum(logs) < math.log(_CHANCE)
