"""Opening a table as a source, whatever it is stored in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ipcae.errors import InputError
from ipcae.sources.array import ArraySource, MemmapSource
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource


def may_be_read_in_parts(X: Any) -> bool:
    """Return whether a table is a memory-mapped array or a sparse matrix."""
    return _mapped(X) or sparse.issparse(X)


def as_source(X: Any) -> Source:
    """Return a table as a source: an array, a memory-mapped array or a sparse matrix.

    >>> as_source(sparse.eye_array(3)).shape
    (3, 3)
    """
    if isinstance(X, Source):
        return X
    if sparse.issparse(X):
        return CsrSource(X)
    if isinstance(X, np.ndarray):
        return (MemmapSource if _mapped(X) else ArraySource)(X)
    raise InputError(
        f"a {type(X).__name__} cannot be read in parts: expected an array, a memory-mapped array, "
        "a sparse matrix, or a source such as open_source('folder/')."
    )


def _mapped(X: Any) -> bool:
    """Return whether an array, or the array it is a view of, is in a file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
