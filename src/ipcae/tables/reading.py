"""Check and convert X, sample weights and K."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    validate_data,
)
from torch import Tensor

from ipcae.errors import InputError, as_input_error, warn
from ipcae.sources import Source
from ipcae.tables.dimensions import refuse_dimensions
from ipcae.tables.encoding import Encoding
from ipcae.tables.frames import has_names, is_frame, refuse_repeated, take_columns
from ipcae.text import listed


def read_rows(estimator: BaseEstimator, X: Any, *, reset: bool, name: str = "X") -> Tensor:
    """Check X and return it as a floating-point tensor of shape (N, D), copied only if needed.

    X may be a NumPy array, a pandas or polars data frame, a SciPy sparse matrix or a tensor. If
    ``reset`` is False, the columns of a data frame are found by their names.
    """
    rows = read_with_gaps(estimator, X, reset=reset, name=name)
    missing = getattr(estimator, "missing", "error")
    refuse_not_finite(rows, getattr(estimator, "feature_names_in_", None), name, missing)
    return rows


def read_with_gaps(estimator: BaseEstimator, X: Any, *, reset: bool, name: str = "X") -> Tensor:
    """Return X as :func:`read_rows` does, whether or not values are missing or infinite."""
    names = None if reset else getattr(estimator, "feature_names_in_", None)
    encoding = None if reset else getattr(estimator, "encoding_", None)
    if isinstance(X, Source):
        if names is not None and X.names is not None:
            wanted = torch.from_numpy(X.positions(names, name))
            X = X.take(np.arange(len(X)))[:, wanted]
        else:
            X = X.take(np.arange(len(X)))
    refuse_dimensions(X, type(estimator).__name__, name)
    if isinstance(X, Tensor):
        return _read_tensor(estimator, X, reset)
    _refuse_cells(X, name)
    if names is not None and has_names(X):
        X = take_columns(X, names, name)
    if encoding is not None and not (encoding.numeric and is_numeric(X)):
        with as_input_error():
            validate_data(estimator, X, reset=False, skip_check_array=True)
        return encoding.code(X, name=name)
    _refuse_text(X)
    with as_input_error():
        try:
            X = validate_data(
                estimator,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
            )
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            raise InputError(f"{name} contains text ({error}): expected numbers.") from error
    dense = X.toarray() if sparse.issparse(X) else X
    # A tensor cannot share memory with a read-only, reversed or big-endian array.
    shareable = dense.flags.writeable and min(dense.strides) >= 0 and dense.dtype.isnative
    native = dense.dtype.newbyteorder("=")
    return torch.from_numpy(dense if shareable else np.array(dense, dtype=native))


def _refuse_cells(X: Any, name: str) -> None:
    """Raise an error for an AnnData, which NumPy would convert element by element."""
    if hasattr(X, "obs") and hasattr(X, "var_names"):
        raise InputError(
            f"{name} is an {type(X).__name__}: use ipcae.sc.select(adata, target=...), or pass the "
            "matrix adata.X, and a column of adata.obs as y."
        )


def read_new_rows(
    estimator: BaseEstimator, X: Any, *, categories: str, missing: str, dates: str
) -> tuple[Tensor, Encoding | None]:
    """Return the rows to fit, and how they are encoded, or None if they are plain numbers.

    Sets ``n_features_in_`` and ``feature_names_in_``. Columns that are left out are warned of.
    """
    impute = missing == "impute"
    encoding: Encoding | None = None
    if categories == "auto" and is_frame(X) and not is_numeric(X):
        _refuse_names(X)
        with as_input_error():
            validate_data(estimator, X, reset=True, skip_check_array=True)
        encoding = Encoding.of(X, dates=dates, impute=impute)
        _warn_of_left_out(encoding)
        rows = encoding.code(X)
    else:
        rows = read_with_gaps(estimator, X, reset=True)
        if impute:
            names = getattr(estimator, "feature_names_in_", range(rows.shape[1]))
            labels, n_missing = [str(name) for name in names], rows.isnan().sum(0).tolist()
            encoding = Encoding.of_numbers(labels, n_missing, len(rows))
            _warn_of_left_out(encoding)
    refuse_not_finite(rows, getattr(estimator, "feature_names_in_", None), "X", missing)
    return rows, encoding


def _warn_of_left_out(encoding: Encoding) -> None:
    labels = [f"{encoding.names[c]}: {encoding.codings[c].note}" for c in encoding.left_out]
    if len(labels) == len(encoding.names):
        raise InputError(
            f"X has no columns that can be used ({listed(labels)}): expected numbers or categories."
        )
    if labels:
        n, are = len(labels), "is" if len(labels) == 1 else "are"
        warn(f"{n} of {len(encoding.names)} columns of X {are} left out ({listed(labels)}).")


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


def as_floating(rows: Tensor) -> Tensor:
    """Return a dense tensor; float32 stays, all else becomes float64, as in scikit-learn."""
    rows = as_dense(rows)
    return rows if rows.dtype == torch.float32 else rows.to(torch.float64)


def as_dense(values: Tensor, name: str = "X") -> Tensor:
    """Return a tensor of real numbers in the ordinary layout; refuse what cannot be one."""
    if values.is_complex():
        raise InputError(f"{name} is a tensor of complex numbers: expected real ones.")
    if values.is_meta or values.is_nested:
        kind = "meta" if values.is_meta else "nested"
        raise InputError(f"{name} is a {kind} tensor: expected one that holds rows of numbers.")
    if values.is_quantized:
        return values.dequantize()
    return values if values.layout == torch.strided else values.to_dense()


def as_array(values: Any, name: str = "y") -> Any:
    """Return a tensor as an array on the CPU; anything else is returned unchanged."""
    if not isinstance(values, Tensor):
        return values
    values = as_dense(values.detach(), name).cpu()
    in_numpy = (torch.float16, torch.float32, torch.float64)
    if values.is_floating_point() and values.dtype not in in_numpy:
        values = values.to(torch.float32)
    return values.resolve_conj().resolve_neg().numpy()


def is_numeric(X: Any) -> bool:
    """Return whether all columns of a data frame, or the elements of an array, are numbers."""
    if is_frame(X):
        return not _text_columns(X)
    return not hasattr(X, "dtype") or getattr(X.dtype, "kind", "f") in "biuf"


def _text_columns(X: Any) -> list[str]:
    dtypes = zip(X.columns, X.dtypes, strict=True)
    return [str(name) for name, dtype in dtypes if not _is_numeric(X, name, dtype)]


def _refuse_names(X: Any) -> None:
    """Raise an error if a data frame has no columns, no rows, or several of the same name."""
    if len(X.columns) == 0:
        raise InputError("X has no columns, 0 feature(s): expected rows of numbers.")
    if X.shape[0] == 0:
        raise InputError("X has no rows, 0 sample(s): expected rows to learn from.")
    refuse_repeated([str(name) for name, n in Counter(map(str, X.columns)).items() if n > 1])


def _refuse_text(X: Any) -> None:
    """Raise an error that names the non-numeric columns of a data frame."""
    if not is_frame(X):
        return
    if len(X.columns) == 0:
        raise InputError("X has no columns, 0 feature(s): expected rows of numbers.")
    refuse_repeated([str(name) for name, n in Counter(map(str, X.columns)).items() if n > 1])
    text = _text_columns(X)
    if text:
        raise InputError(
            f"{_columns_are(len(text))} not numeric ({listed(text)}): expected numbers. "
            "Encode them first, for example with sklearn.preprocessing.OneHotEncoder, or leave "
            "them out. A selector that is fitted to such columns with categories='auto' reads them."
        )


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


def refuse_not_finite(
    rows: Tensor, names: Sequence[str] | None, name: str = "X", missing: str = "error"
) -> None:
    """Raise an error that counts missing and infinite values and names their columns.

    If ``missing`` is "impute", only infinite values are refused.
    """
    # The minimum and the maximum are NaN if any value is NaN: one pass over the table.
    if not rows.numel() or bool(torch.isfinite(torch.stack(rows.aminmax())).all()):
        return
    infinite = rows.isinf().sum(0)
    missed = torch.zeros_like(infinite) if missing == "impute" else rows.isnan().sum(0)
    refuse_counted(missed, infinite, names, name)


def refuse_counted(
    missing: Tensor,
    infinite: Tensor,
    names: Sequence[str] | None,
    name: str = "X",
    *,
    imputable: bool = True,
) -> None:
    """Raise an error if any column has missing or infinite values. Shape: (D,), (D,)."""
    per_column = missing + infinite
    columns = per_column.nonzero().flatten().tolist()
    if not columns:
        return
    counts = (int(missing.sum()), "NaN"), (int(infinite.sum()), "infinite")
    kinds = [f"{n} {kind}" for n, kind in counts if n]
    labels = [f"{names[c] if names is not None else c}: {int(per_column[c])}" for c in columns]
    raise InputError(
        f"Input {name} contains {' and '.join(kinds)} values in {len(columns)} of "
        f"{len(per_column)} columns ({listed(labels)}): expected finite numbers. "
        f"{_way_out(imputable and bool(missing.any()))}"
    )


def _way_out(imputable: bool) -> str:
    if not imputable:
        return "Correct them, or drop those rows or columns."
    return (
        "Fit with missing='impute' to fill them in, or fill them in first, for example with "
        "sklearn.impute.SimpleImputer, or drop those rows or columns."
    )


def read_weights(sample_weight: Any, rows: Tensor) -> Tensor | None:
    """Check sample weights and return them as a float32 tensor of shape (N,)."""
    if sample_weight is None:
        return None
    sample_weight = as_array(sample_weight, "sample_weight")
    if not np.isscalar(sample_weight) and hasattr(sample_weight, "__len__"):
        require_same_length(rows, sample_weight, "sample_weight")
    with as_input_error(), np.errstate(over="ignore"):
        weights = _check_sample_weight(sample_weight, np.empty((len(rows), 1)), dtype=np.float32)
    if (weights < 0).any() or not (weights > 0).any():
        raise InputError(
            "sample_weight must not be negative, and at least one weight must be positive."
        )
    return torch.from_numpy(weights).to(rows.device)


def require_same_length(X: Tensor, y: Any, name: str = "y") -> None:
    """Raise an error if the number of targets differs from the number of rows."""
    with as_input_error():
        n_targets = _num_samples(y)
    if n_targets != len(X):
        raise InputError(
            f"{'X_val' if name == 'y_val' else 'X'} has {len(X)} rows and {name} has "
            f"{n_targets}: inconsistent numbers of samples, expected one value per row."
        )


def count_to_select(n_features_to_select: Any, n_features: int) -> int:
    """Turn a count, a fraction or None (half) into K, the number of features.

    >>> count_to_select(0.25, 8), count_to_select(3, 8), count_to_select(None, 8)
    (2, 3, 4)
    """
    wanted = n_features_to_select
    if wanted is None:
        return max(n_features // 2, 1)
    if isinstance(wanted, bool | np.bool_) or not isinstance(wanted, int | float | np.number):
        raise InputError(
            f"n_features_to_select={wanted!r} is not a number: expected a count, such as 20, "
            "or a fraction, such as 0.1."
        )
    if isinstance(wanted, float | np.floating):
        if not 0 < wanted <= 1:
            raise InputError(
                f"n_features_to_select={wanted!r} is not a fraction: expected more than 0 and at "
                f"most 1, or an integer from 1 to {n_features}."
            )
        return max(round(wanted * n_features), 1)
    if wanted < 1:
        raise InputError(
            f"n_features_to_select={wanted} is too few: choose from 1 to {n_features}."
        )
    if wanted > n_features:
        raise InputError(
            f"n_features_to_select={wanted} is more than the {n_features} features of X: "
            f"choose from 1 to {n_features}."
        )
    return int(wanted)


def _columns_are(n: int) -> str:
    return "1 column of X is" if n == 1 else f"{n} columns of X are"


def _numbers_of(frame: Any) -> Any:
    """Return a data frame as an array, with NaN for all kinds of missing values."""
    _refuse_text(frame)
    with as_input_error():
        return check_array(
            frame, dtype=[np.float64, np.float32], ensure_all_finite=False, ensure_min_samples=0
        )


def read_selected(
    X_selected: Any,
    n_selected: int,
    names: Sequence[str] | None,
    name: str = "X_selected",
    *,
    encoding: Encoding | None = None,
    columns: Sequence[int] | None = None,
    missing: str = "error",
) -> Tensor:
    """Check the selected columns and return them as a tensor of shape (N, n_selected).

    With ``names``, the columns of a data frame are found by name, in any order and among others.
    With an encoding, ``columns`` are the indices of the selected columns.
    """
    labels = None if names is None else list(names)
    if labels is not None and is_frame(X_selected):
        X_selected = take_columns(X_selected, labels, name)
    if isinstance(X_selected, Tensor):
        values = as_floating(X_selected.detach().cpu())
    elif encoding is not None and not (encoding.numeric and is_numeric(X_selected)):
        if not hasattr(X_selected, "shape"):
            X_selected = np.array(X_selected, dtype=object)
        _require_selected(tuple(X_selected.shape), n_selected)
        values = encoding.code(X_selected, columns, name)
    else:
        if labels is not None and is_frame(X_selected):
            X_selected = _numbers_of(X_selected)
        with as_input_error():
            dense = np.array(X_selected.toarray() if hasattr(X_selected, "toarray") else X_selected)
            dense = dense if dense.dtype == np.float32 else dense.astype(np.float64)
        values = torch.from_numpy(dense)
    _require_selected(tuple(values.shape), n_selected)
    refuse_not_finite(values, labels, name, missing)
    return values


def _require_selected(shape: tuple[int, ...], n_selected: int) -> None:
    if len(shape) != 2 or shape[1] != n_selected:
        raise InputError(
            f"Expected the {n_selected} selected columns, in the order of "
            f"get_feature_names_out(); got shape {shape}."
        )
