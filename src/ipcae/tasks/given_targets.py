"""Check the target that a user gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ipcae.errors import InputError, warn
from ipcae.quantities import is_number, quantities_in
from ipcae.tables.encodings.cells import is_missing
from ipcae.tables.tensors import without_mask


def require_target(y: Any, owner: str, expected: str) -> None:
    """Raise an error if the target is None."""
    if y is None:
        raise InputError(
            f"{owner} requires y to be passed, but the target y is None: pass {expected}."
        )
    if isinstance(y, str):
        raise InputError(
            f"y is the text {y!r}: pass {expected}. If it is the name of a column, pass the values "
            "of that column, and leave the column out of X."
        )


def require_no_gaps(y: Any, name: str) -> None:
    """Raise an error that counts the missing values of a target.

    >>> require_no_gaps(["ill", None, "well"], "y")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: Input y contains NaN: 1 of 3 rows have no value. Leave them out of X \
and y, or fill them in.
    """
    try:
        values = np.asarray(without_mask(y))
    except ValueError as error:
        raise InputError(
            f"{name} has rows of different lengths: expected one value per row. For lists of "
            "labels, pass the matrix of sklearn.preprocessing.MultiLabelBinarizer."
        ) from error
    if values.ndim == 0 or values.dtype.kind not in "fO":  # a sparse matrix, or no gaps
        return
    if values.dtype.kind == "f" and not np.isnan(values).any():
        return
    rows = values.reshape(len(values), -1)
    missing = np.array([any(map(is_missing, row)) for row in rows])
    if missing.any():
        raise InputError(
            f"Input {name} contains NaN: {missing.sum():,} of {len(rows):,} rows have no value. "
            "Leave them out of X and y, or fill them in."
        )


def labels_of(y: Any, name: str) -> Any:
    """Return a target of classes without missing values, or raise an error for objects.

    pandas' nullable integers and booleans, which scikit-learn turns into floating-point numbers,
    stay what they are.

    >>> labels_of(np.array([1, "a"], dtype=object), "y")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: Unknown label type: y contains objects of type int and str, expected \
text, integers or booleans. Convert it first, for example with y.astype(str).
    """
    if hasattr(y, "to_numpy") and getattr(y, "ndim", 0) == 1:  # a column, or an array of pandas
        y = y.to_numpy()
    if not hasattr(y, "ravel") or y.dtype.kind != "O" or y.ndim == 0:
        return y
    kinds = {type(value) for value in y.ravel()}
    if all(issubclass(kind, str | bytes) for kind in kinds):
        return y
    names = sorted(kind.__name__ for kind in kinds)
    to = names[0] if names in (["bool"], ["int"]) else "str"
    raise InputError(
        f"Unknown label type: {name} contains objects of type {' and '.join(names)}, expected "
        f"text, integers or booleans. Convert it first, for example with {name}.astype({to})."
    )


_ENOUGH_ROWS = 10  # fewer may have one label each by chance


def warn_of_one_hot_classes(y: Any) -> None:
    """Warn if every row of a matrix of zeros and ones has exactly one 1, as one-hot classes have.

    >>> warn_of_one_hot_classes(np.array([[1, 1, 0], [0, 0, 1]]))
    """
    matrix = y if issparse(y) else np.asarray(y)
    if matrix.shape[0] >= _ENOUGH_ROWS and (np.ravel(matrix.sum(axis=1)) == 1).all():
        warn(
            "y is a matrix of zeros and ones, whose columns are learned as separate labels, but "
            "every row has exactly one 1: if the columns are classes, pass y.argmax(axis=1)."
        )


_IN_NANOSECONDS = {
    "M": "dates: expected numbers. Convert them first, such as to the days since a common start",
    "m": "durations: expected numbers. Convert them first, for example with y.dt.total_seconds()",
}


def require_numbers(y: Any, name: str) -> None:
    """Raise an error if a target that should be numbers has text, dates or durations.

    >>> require_numbers(["8,919 EUR", "950 EUR"], "y")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: y contains text, such as '8,919 EUR': expected numbers. Remove the \
unit 'EUR' and convert it first.
    """
    values = np.asarray(y)
    if values.dtype.kind in _IN_NANOSECONDS:  # NumPy would convert them without a word
        raise InputError(f"{name} contains {_IN_NANOSECONDS[values.dtype.kind]}.")
    if values.dtype.kind not in "UOT":
        return
    texts = [value for value in values.ravel() if isinstance(value, str) and not is_number(value)]
    if texts:
        found = quantities_in(map(str, texts))
        unit = found[1] if found else ""
        advice = f"Remove the unit {unit!r} and convert it first" if unit else "Convert it first"
        raise InputError(
            f"{name} contains text, such as {str(texts[0])!r}: expected numbers. {advice}."
        )
