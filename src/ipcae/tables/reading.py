"""Check X and convert it to a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    check_array,
    validate_data,
)
from torch import Tensor

from ipcae.errors import InputError, as_input_error, warn
from ipcae.sources import Source
from ipcae.tables.checks.containers import refuse_containers, refuse_dimensions
from ipcae.tables.checks.finite import refuse_not_finite
from ipcae.tables.checks.missing_codes import warn_of_missing_codes
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.encodings.numeric_columns import is_numeric, refuse_names, refuse_text
from ipcae.tables.frames import has_names, is_frame, plain_numbers, take_columns
from ipcae.tables.tensors import as_dense, as_floating, without_mask
from ipcae.text import listed


def read_rows(estimator: BaseEstimator, X: Any, name: str = "X") -> Tensor:
    """Check rows for a fitted estimator; return them as a floating-point tensor of shape (N, D).

    X may be a NumPy array, a pandas or polars data frame, whose columns are found by their names, a
    SciPy sparse matrix or a tensor. It is copied only if needed.
    """
    rows = read_with_gaps(estimator, X, reset=False, name=name)
    missing = getattr(estimator, "missing", "error")
    refuse_not_finite(rows, getattr(estimator, "feature_names_in_", None), name, missing)
    return rows


def read_with_gaps(estimator: BaseEstimator, X: Any, *, reset: bool, name: str = "X") -> Tensor:
    """Return X as :func:`read_rows` does, whether or not values are missing or infinite.

    With ``reset``, the columns of X are stored as those of a fit.
    """
    refuse_containers(X, name)
    X = without_mask(X)
    names = None if reset else getattr(estimator, "feature_names_in_", None)
    encoding = None if reset else getattr(estimator, "encoding_", None)
    if isinstance(X, Source):
        rows = X.take(np.arange(len(X)))
        if names is not None and X.names is not None:
            rows = rows[:, torch.from_numpy(X.positions(names, name))]
        X = rows
    refuse_dimensions(X, type(estimator).__name__, name)
    if isinstance(X, Tensor):
        return _read_tensor(estimator, X, reset)
    if names is not None and has_names(X):
        X = take_columns(X, names, name)
    if encoding is not None and not (encoding.numeric and is_numeric(X)):
        with as_input_error():
            validate_data(estimator, X, reset=False, skip_check_array=True)
        return encoding.code(X, name=name)
    refuse_text(X)
    return _read_numbers(estimator, X, reset, name)


def _read_numbers(estimator: BaseEstimator, X: Any, reset: bool, name: str) -> Tensor:
    """Return a table of numbers as a tensor."""
    with as_input_error():
        try:
            X = _checked(estimator, X, reset)
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            more = " Pass a data frame to use texts as categories." if reset else ""
            raise InputError(f"{name} contains text ({error}): expected numbers.{more}") from error
    dense = X.toarray() if sparse.issparse(X) else X
    # A tensor cannot share memory with a read-only, reversed or big-endian array.
    shareable = dense.flags.writeable and min(dense.strides) >= 0 and dense.dtype.isnative
    native = dense.dtype.newbyteorder("=")
    return torch.from_numpy(dense if shareable else np.array(dense, dtype=native))


_CHECKS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,
}


def _checked(estimator: BaseEstimator, X: Any, reset: bool) -> Any:
    """Return X as an array of floats or a sparse matrix, once scikit-learn has checked it."""
    numbers = plain_numbers(X)
    if numbers is None:
        return validate_data(estimator, X, reset=reset, **_CHECKS)
    validate_data(estimator, X, reset=reset, skip_check_array=True)  # the names of the columns
    return check_array(numbers, input_name="X", estimator=estimator, **_CHECKS)


def read_new_rows(
    estimator: BaseEstimator, X: Any, *, categories: str, missing: str, dates: str
) -> tuple[Tensor, Encoding | None]:
    """Return the rows to fit, and how they are encoded, or None if they are plain numbers.

    Sets ``n_features_in_`` and ``feature_names_in_``. Columns that are left out are warned of.
    """
    refuse_containers(X)
    impute = missing == "impute"
    encoding: Encoding | None = None
    if categories == "auto" and is_frame(X) and not is_numeric(X):
        refuse_names(X)
        with as_input_error():
            validate_data(estimator, X, reset=True, skip_check_array=True)
        encoding = Encoding.of(X, dates=dates, impute=impute)
        _warn_of_left_out(encoding)
        _warn_of_limits(encoding)
        rows = encoding.code(X)
    else:
        rows = read_with_gaps(estimator, X, reset=True)
        if impute:
            names = getattr(estimator, "feature_names_in_", range(rows.shape[1]))
            labels, n_missing = [str(name) for name in names], rows.isnan().sum(0).tolist()
            encoding = Encoding.of_numbers(labels, n_missing, len(rows))
            _warn_of_left_out(encoding)
    refuse_not_finite(rows, getattr(estimator, "feature_names_in_", None), "X", missing)
    _warn_of_missing_codes(estimator, rows, encoding)
    return rows, encoding


def _warn_of_left_out(encoding: Encoding) -> None:
    labels = [f"{encoding.names[c]}: {encoding.codings[c].note}" for c in encoding.left_out]
    if len(labels) == len(encoding.names):
        raise InputError(
            f"X has no columns that can be used ({listed(labels)}): expected numbers or categories."
        )
    if labels:
        n, are = len(labels), "is" if len(labels) == 1 else "are"
        warn(f"{n:,} of {len(encoding.names):,} columns of X {are} left out ({listed(labels)}).")


def _warn_of_missing_codes(
    estimator: BaseEstimator, rows: Tensor, encoding: Encoding | None
) -> None:
    names = [str(n) for n in getattr(estimator, "feature_names_in_", range(rows.shape[1]))]
    if encoding is not None and encoding.has_levels:
        numeric = [c for c, coding in enumerate(encoding.codings) if coding.kind == "number"]
        rows, names = rows[:, numeric], [names[column] for column in numeric]
    warn_of_missing_codes(rows.cpu().numpy(), names)


def _warn_of_limits(encoding: Encoding) -> None:
    columns = zip(encoding.names, encoding.codings, strict=True)
    names = [name for name, coding in columns if coding.n_limits]
    if names:
        warn(
            f'X has values with "<", ">" or "+" ({listed(names)}): they are read as the limit, '
            '"<0.5" as 0.5. Replace them before, if another number is better.'
        )


def _read_tensor(estimator: BaseEstimator, X: Tensor, reset: bool) -> Tensor:
    if X.is_nested:
        as_dense(X)
    if X.ndim != 2:
        raise InputError(
            f"X is a tensor of shape {tuple(X.shape)}: expected two dimensions, rows and features."
        )
    if 0 in X.shape:
        raise InputError(f"X is empty, shape {tuple(X.shape)}: expected rows and features.")
    if reset:
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
    elif X.shape[1] != estimator.n_features_in_:
        raise InputError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return as_floating(X.detach())


def as_values(frame: Any) -> Any:
    """Return a data frame as an array, of numbers if all of its columns are numbers.

    >>> import pandas as pd
    >>> as_values(pd.DataFrame({"rooms": [3, None], "paid": [True, False]}).convert_dtypes())
    array([[ 3.,  1.],
           [nan,  0.]])
    """
    values = np.asarray(frame)
    return _numbers_of(frame) if values.dtype == object and is_numeric(frame) else values


def _numbers_of(frame: Any) -> Any:
    """Return a data frame as an array, with NaN for all kinds of missing values."""
    refuse_text(frame)
    with as_input_error():
        values = check_array(
            frame,
            accept_sparse="csr",  # which scikit-learn makes of sparse columns of pandas
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
    return values.toarray() if sparse.issparse(values) else values


def read_selected(estimator: Any, X: Any, name: str = "X") -> Tensor:
    """Check the selected columns for a fitted selector; return them as a tensor of shape (N, K).

    If they have names, the columns of a data frame are found by name, in any order and among
    others.
    """
    columns, encoding = estimator.get_support(indices=True), getattr(estimator, "encoding_", None)
    names = None
    if hasattr(estimator, "feature_names_in_"):
        names = list(estimator.get_feature_names_out())
    if names is not None and is_frame(X):
        X = take_columns(X, names, name)
    if isinstance(X, Tensor):
        values = as_floating(X.detach().cpu())
    elif encoding is not None and not (encoding.numeric and is_numeric(X)):
        if not hasattr(X, "shape"):
            X = np.array(X, dtype=object)
        _require_selected(tuple(X.shape), len(columns))
        values = encoding.code(X, columns, name)
    else:
        if names is not None and is_frame(X):
            X = _numbers_of(X)
        with as_input_error():
            dense = np.array(X.toarray() if hasattr(X, "toarray") else X)
            dense = dense if dense.dtype == np.float32 else dense.astype(np.float64)
        values = torch.from_numpy(dense)
    _require_selected(tuple(values.shape), len(columns))
    refuse_not_finite(values, names, name, estimator.missing)
    return values


def _require_selected(shape: tuple[int, ...], n_selected: int) -> None:
    if len(shape) != 2 or shape[1] != n_selected:
        raise InputError(
            f"Expected the {n_selected} selected columns, in the order of "
            f"get_feature_names_out(); got shape {shape}."
        )
