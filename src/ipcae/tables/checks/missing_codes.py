"""Numbers such as -999 that may stand for missing values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ipcae.errors import MissingCodeWarning, warn
from ipcae.text import listed

_REPEATED = [float(digit * n) for digit in "789" for n in range(1, 8)]
CODES = frozenset([-code for code in _REPEATED] + [code for code in _REPEATED if code > 10])
"""Numbers that often stand for missing values: -9, -99, 99, -999, 999, …, also with 7 and 8."""

_FEWEST = 2  # a single one is an outlier


class MissingCode(NamedTuple):
    """A number that may stand for missing values in a column."""

    column: int
    code: float
    n_rows: int

    def __str__(self) -> str:
        return f"{self.n_rows:,} times {self.code:g}"


def missing_codes(values: NDArray[Any]) -> list[MissingCode]:
    """Return numbers of :data:`CODES` that are repeated and far from the others of a column.

    A number is far if it is further from the nearest other one than the others are from each
    other, or if it alone is negative.

    Shape: values (N, D), NaN for missing values.

    >>> missing_codes(np.array([[36.6, 1], [-999, 2], [37.1, 0], [-999, 99]]))
    [MissingCode(column=0, code=-999.0, n_rows=2)]
    """
    if not len(values):
        return []
    extremes = np.stack([np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)])
    suspects = np.flatnonzero(np.isin(extremes, list(CODES)).any(0))
    return [
        MissingCode(int(column), code, n_rows)
        for column in suspects
        for code, n_rows in _codes_of(values[:, column])
    ]


def _codes_of(column: NDArray[Any]) -> list[tuple[float, int]]:
    levels, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    ordinary = np.flatnonzero(~np.isin(levels, list(CODES)))
    if len(ordinary) < 2:
        return []
    low, high = ordinary[[0, -1]]
    others = levels[low : high + 1]
    return [
        (float(levels[place]), int(counts[place]))
        for place in (*range(low), *range(high + 1, len(levels)))
        if counts[place] >= _FEWEST and _is_far(levels[place], others)
    ]


def _is_far(code: float, others: NDArray[Any]) -> bool:
    alone_negative = code < 0 <= others[0]
    return bool(alone_negative or np.abs(others - code).min() > others[-1] - others[0])


def warn_of_codes_in_target(y: Any) -> None:
    """Warn of numbers in an array or a column that may stand for missing values."""
    # A tensor may have a type that NumPy lacks, or be on a GPU.
    values = np.asarray(y) if hasattr(y, "dtype") and not isinstance(y, Tensor) else np.empty(0)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return
    found = missing_codes(values[:, None].astype(np.float64))
    if found:
        warn(
            f"y has numbers that may stand for missing values ({listed(list(map(str, found)))}): "
            "if they do, leave these rows out.",
            MissingCodeWarning,
        )


def warn_of_missing_codes(values: NDArray[Any], names: Sequence[str]) -> None:
    """Warn of numbers that may stand for missing values."""
    found = missing_codes(values)
    if found:
        labels = [f"{names[each.column]}: {each}" for each in found]
        codes = listed([f"{code:g}" for code in sorted({each.code for each in found})])
        warn(
            f"X has numbers that may stand for missing values "
            f"({listed(labels)}): if they do, replace {codes} with NaN and use missing='impute'.",
            MissingCodeWarning,
        )
