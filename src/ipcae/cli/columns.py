"""The columns of a table: finding them by name, and refusing those that are no numbers."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.names import from_cell
from ipcae.errors import InputError
from ipcae.text import listed

# To compare a name with each of a million others would take minutes.
_MOST_COMPARED = 20_000


def column_named(name: str, names: Sequence[str], place: str, option: str) -> str:
    """Return the column of that name, or suggest the nearest.

    >>> column_named("lable", ["size", "label"], "table.csv", "--target")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: table.csv has no column "lable" (--target): did you mean "label"?
    """
    if name in names:
        return name
    if from_cell(name) in names:  # as it stands in ranking.csv
        return from_cell(name)
    lower = {other.lower(): other for other in names[:_MOST_COMPARED]}
    near = get_close_matches(name.lower(), lower, n=1)
    advice = (
        f'did you mean "{lower[near[0]]}"?'
        if near
        else f"it has {listed([str(n) for n in names])}."
    )
    raise InputError(f'{place} has no column "{name}" ({option}): {advice}')


def numbers_of(table: pd.DataFrame, place: str, *, has_target: bool) -> pd.DataFrame:
    """Return the columns as floating-point numbers, NaN where there is none.

    Refuses text, categories and dates, and says what they look like.
    """
    dtypes = list(table.dtypes)
    numeric = {dtype: is_number_type(dtype) for dtype in set(dtypes)}
    text = [name for name, d in zip(table.columns, dtypes, strict=True) if not numeric[d]]
    if text:
        raise InputError(_refusal(table, text, place, has_target=has_target))
    dtype = np.float32 if set(dtypes) == {np.dtype(np.float32)} else np.float64
    values = table.to_numpy(dtype=dtype, na_value=np.nan)
    return pd.DataFrame(values, columns=table.columns)


def is_number(column: pd.Series) -> bool:
    """Return whether a column holds numbers, or truth values."""
    return is_number_type(column.dtype)


def is_number_type(dtype: Any) -> bool:
    """Return whether values of a type are numbers, or truth values."""
    return getattr(dtype, "kind", "O") in "biuf" and not isinstance(dtype, pd.CategoricalDtype)


_NO_VALUES = {
    np.ndarray: "lists",
    list: "lists",
    tuple: "lists",
    dict: "records",
    bytes: "binary data",
}


def nested(column: pd.Series) -> str | None:
    """Return what a column holds instead of single values, or None.

    >>> nested(pd.Series([None, [1, 2]])), nested(pd.Series(["a", "b"]))
    ('lists', None)
    """
    if column.dtype != object:
        return None
    kinds = {type(value) for value in column.dropna()}
    return next((words for kind, words in _NO_VALUES.items() if kind in kinds), None)


def _refusal(table: pd.DataFrame, text: list[str], place: str, *, has_target: bool) -> str:
    drops = " ".join(f"--drop {quote(name)}" for name in text[:5])
    more = " …" if len(text) > 5 else ""
    columns = "column is" if len(text) == 1 else "columns are"
    them = "it" if len(text) == 1 else "them"
    advice = f"Leave {them} out with {drops}{more}, or turn {them} into numbers first"
    if not has_target:
        advice += "; a column that is to be predicted is named with --target"
    return (
        f"{len(text)} {columns} not numeric in {place}: "
        f"{listed([_look(table[name]) for name in text])}. {advice}."
    )


def _look(column: pd.Series) -> str:
    """Describe a column that is not numeric by what stands in it.

    >>> _look(pd.Series(["1", "2", "?", "4"], name="age"))
    'age (1 of 4 values, such as "?")'
    >>> _look(pd.Series(["P1", "P2", "P3"], name="patient"))
    'patient ("P1", all different: it looks like an id)'
    """
    present = column.dropna()
    if words := nested(column):
        return f"{column.name} ({words})"
    if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind in "mM":
        return f'{column.name} ("{present.iloc[0]}")' if len(present) else str(column.name)
    if present.empty:
        return f"{column.name} (empty)"
    bad = present[pd.to_numeric(present, errors="coerce").isna()]
    if 0 < len(bad) < len(present) / 2:
        return f'{column.name} ({len(bad)} of {len(column)} values, such as "{bad.iloc[0]}")'
    if len(present) > 2 and present.nunique() == len(column):
        return f'{column.name} ("{present.iloc[0]}", all different: it looks like an id)'
    return f'{column.name} ("{present.iloc[0]}")'


def refuse_not_finite(X: pd.DataFrame, place: str) -> None:
    """Say which columns hold missing or infinite values, and how many."""
    values = X.to_numpy()
    bad = ~np.isfinite(values)
    per_column = bad.sum(0)
    columns = np.flatnonzero(per_column)
    if len(columns) == 0:
        return
    n_missing = int(np.isnan(values).sum())
    kinds = ((n_missing, "missing (NaN)"), (int(per_column.sum()) - n_missing, "infinite"))
    counts = " and ".join(f"{n} {kind}" for n, kind in kinds if n)
    labels = [f"{X.columns[int(c)]}: {per_column[c]}" for c in columns]
    n_rows = int(bad.any(1).sum())
    raise InputError(
        f"{place} has {counts} values in {len(columns)} of {X.shape[1]} columns "
        f"({listed(labels)}): expected finite numbers. Fill them in first, leave out the {n_rows} "
        f"of {len(X)} rows that have them with --drop-missing, or the columns with --drop COLUMN."
    )


def row_numbers(X: pd.DataFrame) -> list[str]:
    """Return the columns that count the rows: each value is one more than the one above.

    >>> row_numbers(pd.DataFrame({"id": [7.0, 8.0, 9.0, 10.0], "x": [1.0, 2.0, 3.0, 5.0]}))
    ['id']
    """
    if len(X) < 3:
        return []
    steps: NDArray[np.float64] = np.diff(X.to_numpy(), axis=0)
    return [str(X.columns[int(c)]) for c in np.flatnonzero((steps == 1).all(0))]
