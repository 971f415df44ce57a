"""Columns of a table: which are numbers, and whether these are finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.errors import InputError
from ipcae.tables.encodings.cells import NESTED
from ipcae.text import listed


def numbers_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return numeric columns as floating-point numbers, NaN for missing values."""
    dtype = np.float32 if set(table.dtypes) == {np.dtype(np.float32)} else np.float64
    values = table.to_numpy(dtype=dtype, na_value=np.nan)
    return pd.DataFrame(values, columns=table.columns)


def is_number(column: pd.Series) -> bool:
    """Return whether a column holds numbers or booleans."""
    return is_number_type(column.dtype)


def is_number_type(dtype: Any) -> bool:
    """Return whether a data type is numeric or boolean."""
    return getattr(dtype, "kind", "O") in "biuf" and not isinstance(dtype, pd.CategoricalDtype)


def nested(column: pd.Series) -> str | None:
    """Return what a column contains if it is not single values, else None.

    >>> nested(pd.Series([None, [1, 2]])), nested(pd.Series(["a", "b"]))
    ('lists', None)
    """
    if column.dtype != object:
        return None
    kinds = {type(value) for value in column.dropna()}
    return next((name for kind, name in NESTED.items() if kind in kinds), None)


def check_finite(X: pd.DataFrame, place: str) -> None:
    """Raise an error if columns have missing or infinite values."""
    values = X.to_numpy()
    bad = ~np.isfinite(values)
    per_column = bad.sum(0)
    columns = np.flatnonzero(per_column)
    if len(columns) == 0:
        return
    n_missing = int(np.isnan(values).sum())
    kinds = ((n_missing, "missing (NaN)"), (int(per_column.sum()) - n_missing, "infinite"))
    counts = " and ".join(f"{n:,} {kind}" for n, kind in kinds if n)
    values_in = "value in" if per_column.sum() == 1 else "values in"
    labels = [f"{X.columns[int(c)]}: {per_column[c]:,}" for c in columns]
    n_rows = int(bad.any(1).sum())
    expected = "a value in every row" if n_missing == per_column.sum() else "finite numbers"
    raise InputError(
        f"{place} has {counts} {values_in} {len(columns):,} of {X.shape[1]:,} columns "
        f"({listed(labels)}): expected {expected}. {_way_out(n_missing, n_rows, len(X))}"
    )


def _way_out(n_missing: int, n_rows: int, n_total: int) -> str:
    fill = "Fill them in with --missing impute" if n_missing else "Correct them"
    if n_rows == n_total:
        return f"{fill}, or drop the columns with --drop COLUMN: no row is without them."
    return (
        f"{fill}, drop the {n_rows:,} of {n_total:,} rows that have them with --missing drop, or "
        "drop the columns with --drop COLUMN."
    )


def number_the_rows(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns number the rows: each value is one more than the previous one.

    >>> number_the_rows(np.array([[7.0, 1.0], [8.0, 2.0], [9.0, 5.0]]))
    array([ True, False])
    """
    if len(values) < 3:
        return np.zeros(values.shape[1], dtype=bool)
    with np.errstate(invalid="ignore"):  # of infinite values, which are refused later
        return (np.diff(values, axis=0) == 1).all(0)
