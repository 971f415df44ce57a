"""Names of rows that begin alike, such as P07_rep1 and P07_rep2, because they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.tables.dependence.between_groups import alike_given_target
from ipcae.tables.encodings.dates import are_dates

# "_rep1", "-b", " (2)" or ".post", and the letter of "12a".
_ENDING = re.compile(r"[\s_./(-]+[A-Za-z]{0,12}\d{0,3}\)?$|(?<=\d)[A-Za-z]$")
_FEWEST_GROUPS, _FEWEST_ROWS = 6, 1.5  # rows per group, on average


def shared_beginnings(column: pd.Series) -> NDArray[Any] | None:
    """Return names without their endings, or None unless all names differ and most begin alike.

    Dates are no names.

    >>> names = [f"P{row // 2}_rep{row % 2 + 1}" for row in range(12)]
    >>> shared_beginnings(pd.Series(names))[:3].tolist()
    ['P0', 'P0', 'P1']
    >>> shared_beginnings(pd.Series([f"control_{row}" for row in range(12)]))
    """
    names = column.tolist()
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    if are_dates(name.strip() for name in names):
        return None
    beginnings = np.array([_ENDING.sub("", name.strip()) for name in names], dtype=object)
    n_groups = len(set(beginnings))
    few = n_groups <= len(names) / _FEWEST_ROWS
    return beginnings if few and n_groups >= _FEWEST_GROUPS else None


def alike_by_beginning(
    columns: Iterable[pd.Series], coded: Floats, y: Any
) -> tuple[str, str, str] | None:
    """Return the column of names whose rows are alike if they begin alike, with two such names."""
    for column in columns:
        beginnings = shared_beginnings(column)
        if beginnings is None:
            continue
        groups: Integers = pd.factorize(beginnings)[0]
        if alike_given_target(coded, y, groups):
            largest = np.flatnonzero(groups == np.bincount(groups).argmax())[:2]
            first, second = column.astype(str).iloc[largest]
            return str(column.name), first, second
    return None
