"""The expression of genes: raw counts, and limits on the measurable range."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ipcae.arrays import Floats
from ipcae.errors import InputError

_DENSE_AT_ONCE = 2**22  # numbers

_FEW_LEVELS = 2.0
"""Integers up to this may be what is detected, or genotypes; larger ones are raw counts."""


def looks_like_counts(values: Any) -> bool:
    """Return whether the values are raw counts: integers from zero, some above 2.

    Parameters
    ----------
    values : array or sparse matrix
        Expression of genes.

    See Also
    --------
    ipcae.sc.select : Select a gene panel from an AnnData.

    Examples
    --------
    >>> looks_like_counts(np.array([[0.0, 3.0], [57.0, 1.0]]))
    True
    >>> looks_like_counts(np.log1p(np.array([[0.0, 3.0], [57.0, 1.0]])))
    False
    """
    sample = values[:: max(values.shape[0] // 500, 1)]
    if sparse.issparse(sample):  # further zeros do not change the answer
        sample = np.append(sample.data, 0)
    return bool(
        sample.min() >= 0 and sample.max() > _FEW_LEVELS and (sample == np.round(sample)).all()
    )


def expression_costs(
    values: Any, limits: tuple[float | None, float | None], quantile: float = 0.99
) -> Floats:
    """Return how far every gene is outside the limits, from 0 (inside) to 1.

    The expression of a gene is a high quantile over the cells, so that a gene that few cells
    express is compared by those cells. A gene below the lower limit is hard to detect; one above
    the upper limit causes optical crowding.

    Parameters
    ----------
    values : array or sparse matrix of shape (n_cells, n_genes)
        Expression of the genes.
    limits : (float or None, float or None)
        Lower and upper limit of the expression.
    quantile : float, default=0.99
        The quantile over the cells.

    Returns
    -------
    array of shape (n_genes,)

    See Also
    --------
    ipcae.sc.select : Select a gene panel from an AnnData.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0, 9.0], [0.2, 2.0, 9.0]])
    >>> expression_costs(values, (0.4, 6.0), quantile=1.0)
    array([0.5, 0. , 0.5])
    """
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        raise InputError(
            f"expression_limits={limits!r} are not understood: expected a lower and an upper "
            "limit, such as (1.0, 5.0), or None for no limit."
        )
    low, high = limits
    if low is not None and high is not None and not 0 < low < high:
        raise InputError(
            f"expression_limits={limits!r} are not in order: expected a lower and an upper limit, "
            "such as (1.0, 5.0)."
        )
    reached = _quantiles(values, quantile)
    costs = np.zeros(values.shape[1])
    if low is not None:
        costs += np.clip((low - reached) / low, 0, 1)
    if high is not None:
        costs += np.clip((reached - high) / high, 0, 1)
    return costs


def _quantiles(values: Any, quantile: float) -> Floats:
    """Return a quantile of every column; of a sparse matrix, a few columns at a time are dense."""
    if not sparse.issparse(values):
        return np.quantile(values, quantile, axis=0)
    columns = sparse.csc_array(values)
    n_rows, n_columns = columns.shape
    size = max(_DENSE_AT_ONCE // n_rows, 1)
    parts = (columns[:, start : start + size].toarray() for start in range(0, n_columns, size))
    return np.concatenate([np.quantile(part, quantile, axis=0) for part in parts])
