"""Reject what is no table of rows and features, but contains one."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from scipy import sparse

from ipcae.errors import InputError
from ipcae.text import shortened


def refuse_containers(X: Any, name: str = "X") -> None:
    """Raise an error that says what to pass instead of a dict, a structured array or an AnnData.

    >>> refuse_containers({"age": [31, 54]})
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: X is a dict: expected rows and features, such as pandas.DataFrame(X).
    """
    kind = type(X).__name__
    if isinstance(X, str | PathLike):
        raise InputError(
            f"{name} is the text or path {shortened(str(X))!r}: expected rows, such as those of "
            "ipcae.data.read_table(path), or of ipcae.sources.open_source(path) for large tables."
        )
    structured = getattr(getattr(X, "dtype", None), "names", None) is not None
    mapping = isinstance(X, Mapping) and not sparse.issparse(X)  # as a DOK matrix is
    if isinstance(X, list) and X and isinstance(X[0], Mapping):
        kind, mapping = "list of dicts", True
    if structured or mapping:
        raise InputError(
            f"{name} is a {kind}: expected rows and features, such as pandas.DataFrame({name})."
        )
    if kind == "LazyFrame":
        raise InputError(f"{name} is a {kind}, without rows yet: pass {name}.collect().")
    if hasattr(X, "columns") and hasattr(X, "__dask_graph__"):
        raise InputError(f"{name} is a {kind} of dask, without rows yet: pass {name}.compute().")
    # NumPy would convert an AnnData element by element.
    if hasattr(X, "obs") and hasattr(X, "var_names"):
        raise InputError(
            f"{name} is an {kind}: use ipcae.sc.select(adata, target=...), or pass the matrix "
            "adata.X, and a column of adata.obs as y."
        )


def refuse_dimensions(X: Any, estimator: str, name: str = "X") -> None:
    """Raise an error for an array of three and more dimensions, such as channels over time.

    >>> import numpy as np
    >>> refuse_dimensions(np.zeros((9, 4, 100)), "RegressionSelector")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: X has 3 dimensions, ... use ChannelSelector(RegressionSelector(...)).
    """
    shape = _shape_of(X)
    if len(shape) < 3:
        return
    advice = "Reshape it to rows and features."
    if len(shape) == 3:
        advice = (
            f"To select channels of cases × channels × time, use ChannelSelector({estimator}(...))."
        )
    raise InputError(
        f"{name} has {len(shape)} dimensions, shape {shape}: expected two, rows and features. "
        f"{advice}"
    )


def _shape_of(X: Any) -> tuple[int, ...]:
    """Return the shape of an array or of nested lists, judged by the first of every level."""
    if hasattr(X, "shape"):
        return tuple(X.shape)
    if isinstance(X, list | tuple) and X:
        return (len(X), *_shape_of(X[0]))
    return ()
