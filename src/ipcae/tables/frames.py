"""Data frames: finding columns by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError, warn
from ipcae.text import listed


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars data frame."""
    # A polars LazyFrame would warn when it is asked for its columns; pandas collects the dtypes of
    # all columns when it is asked for them.
    kind = type(X)
    return kind.__name__ != "LazyFrame" and hasattr(X, "columns") and hasattr(kind, "dtypes")


def labels_of(X: Any) -> list[Any]:
    """Return the names of the columns of a data frame as a list.

    Iterating over an Index of texts of pandas takes many times as long.

    >>> import pandas as pd
    >>> labels_of(pd.DataFrame({"age": [31], "weight": [80.5]}))
    ['age', 'weight']
    """
    columns = X.columns
    return list(columns.tolist() if hasattr(columns, "tolist") else columns)


def has_names(X: Any) -> bool:
    """Return whether X is a data frame whose columns are all named by text.

    >>> import pandas as pd
    >>> has_names(pd.DataFrame({"age": [31]})), has_names(pd.DataFrame([[31]])), has_names([[31]])
    (True, False, False)
    """
    return is_frame(X) and all(isinstance(name, str) for name in labels_of(X))


def plain_numbers(X: Any) -> NDArray[np.floating[Any]] | None:
    """Return a data frame of pandas as an array of floats, or None if it has other columns.

    That is a copy at most; pandas and scikit-learn take as long for every column of a table.

    >>> import pandas as pd
    >>> plain_numbers(pd.DataFrame({"rooms": [3], "rent": [950.5]}))
    array([[  3. , 950.5]])
    >>> plain_numbers(pd.DataFrame({"rooms": [3], "city": ["Oslo"]})) is None
    True
    """
    if not (is_frame(X) and hasattr(X, "iloc") and X.shape[1]):
        return None
    kinds = set(X.dtypes)
    if not all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in kinds):
        return None
    single = np.result_type(*kinds) == np.float32
    return np.asarray(X.to_numpy(dtype=np.float32 if single else np.float64))


def take_columns(X: Any, names: Sequence[str], name: str = "X") -> Any:
    """Return the columns of a data frame with these names, in this order; ignore all others.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"id": [7], "weight": [80.5], "age": [31]})
    >>> take_columns(rows, ["age", "weight"])
       age  weight
    0   31    80.5
    >>> take_columns(rows, ["age", "height"])
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: X lacks 1 of the 2 columns that the selector reads: height.
    """
    labels = [str(label) for label in names]
    given = labels_of(X)
    if labels == given:
        return X
    times = Counter(given)
    missing = [label for label in labels if label not in times]
    if missing:
        raise InputError(
            f"{name} lacks {len(missing)} of the {len(labels)} columns that the selector reads: "
            f"{listed(missing)}."
        )
    refuse_repeated([label for label in labels if times[label] > 1], name)
    return X[labels]


def as_frame(X: Any, container: str) -> Any:
    """Return a data frame as one of pandas or polars; its columns keep their types.

    >>> import pandas as pd
    >>> as_frame(pd.DataFrame({"city": ["Oslo"], "rooms": [3]}), "polars").dtypes
    [String, Int64]
    """
    if type(X).__module__.partition(".")[0] == container:
        return X
    columns = {name: _values(X[name]) for name in X.columns}
    return import_module(container).DataFrame(columns)


def _values(column: Any) -> Any:
    """Return the values of a column: an array, or a list if pandas has several kinds of missing."""
    values = column.to_numpy()
    if values.dtype != object or not hasattr(column, "isna"):
        return values
    return [None if gone else value for gone, value in zip(column.isna(), values, strict=True)]


def warn_of_other_order(X: Any, values: Any, name: str = "y") -> None:
    """Warn if the rows of two pandas objects have the same labels in a different order.

    Like scikit-learn, a selector matches the rows by position.
    """
    if not (hasattr(X, "iloc") and hasattr(values, "iloc")) or len(X) != len(values):
        return
    if X.index.equals(values.index) or not X.index.is_unique:
        return
    if set(X.index) == set(values.index):
        warn(
            f"X and {name} have the same index in different orders, but rows are matched by "
            f"position: pass {name}.loc[X.index] if they belong together by the index."
        )


def refuse_repeated(labels: Sequence[str], name: str = "X") -> None:
    """Raise an error if any column has the name of another one."""
    if labels:
        raise InputError(
            f"{name} has several columns of the same name ({listed(labels)}): expected different "
            "names."
        )
