"""Distinguish numeric columns from others, and reject columns that cannot be read."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ipcae.errors import InputError
from ipcae.tables.frames import is_frame, labels_of, refuse_repeated
from ipcae.text import listed


def is_numeric(X: Any) -> bool:
    """Return whether all columns of a data frame, or the elements of an array, are numbers."""
    if is_frame(X):
        return not text_columns(X)
    return not hasattr(X, "dtype") or getattr(X.dtype, "kind", "f") in "biuf"


def text_columns(X: Any) -> list[str]:
    """Return the names of the columns of a data frame that are not numeric."""
    dtypes = zip(labels_of(X), X.dtypes, strict=True)
    return [str(name) for name, dtype in dtypes if not _is_numeric(X, name, dtype)]


def _is_numeric(X: Any, name: Any, dtype: Any) -> bool:
    kind = getattr(dtype, "kind", None)
    if kind is not None:  # NumPy and pandas
        return kind in "biuf" or (str(dtype) == "object" and _holds_numbers(X[name]))
    return bool(getattr(dtype, "is_numeric", lambda: True)()) or str(dtype) == "Boolean"  # polars


def _holds_numbers(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def refuse_names(X: Any) -> None:
    """Raise an error if a data frame has no columns, no rows, or several of the same name."""
    _refuse_columns(X)
    if X.shape[0] == 0:
        raise InputError("X has no rows, 0 sample(s): expected rows to learn from.")


def _refuse_columns(X: Any) -> None:
    if len(X.columns) == 0:
        raise InputError("X has no columns, 0 feature(s): expected rows of numbers.")
    refuse_repeated([str(name) for name, n in Counter(map(str, labels_of(X))).items() if n > 1])


def refuse_text(X: Any) -> None:
    """Raise an error that names the non-numeric columns of a data frame."""
    if not is_frame(X):
        return
    _refuse_columns(X)
    text = text_columns(X)
    if text:
        are = "1 column of X is" if len(text) == 1 else f"{len(text)} columns of X are"
        raise InputError(
            f"{are} not numeric ({listed(text)}): expected numbers. "
            "Encode them first, for example with sklearn.preprocessing.OneHotEncoder, or leave "
            "them out. A selector that is fitted to such columns with categories='auto' reads them."
        )
