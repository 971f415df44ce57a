"""The expression of genes: raw counts, and limits of what can be measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError

_FEW_LEVELS = 20.0
"""Integers up to this may be counts of an image or categories; larger ones are raw counts."""


def looks_like_counts(values: NDArray[np.floating]) -> bool:
    """Return whether values are raw counts: integers from zero, some of them large.

    >>> looks_like_counts(np.array([[0.0, 3.0], [57.0, 1.0]]))
    True
    >>> looks_like_counts(np.log1p(np.array([[0.0, 3.0], [57.0, 1.0]])))
    False

    See Also
    --------
    ipcae.sc.select : Select a gene panel from an AnnData.
    """
    sample = values[:: max(len(values) // 500, 1)]
    return bool(
        sample.min() >= 0 and sample.max() > _FEW_LEVELS and (sample == np.round(sample)).all()
    )


def expression_costs(
    values: NDArray[np.floating], limits: tuple[float | None, float | None], quantile: float = 0.99
) -> NDArray[np.float64]:
    """Return how far every gene is outside of the limits, from 0 (inside) to 1.

    The expression of a gene is a high quantile over the cells, so that a gene that few cells
    express is compared by those cells. A gene below the lower limit is hard to detect; one above
    the upper limit crowds the image.

    Shape: values (N, D) -> (D,).

    >>> values = np.array([[0.0, 1.0, 9.0], [0.2, 2.0, 9.0]])
    >>> expression_costs(values, (0.4, 6.0), quantile=1.0)
    array([0.5, 0. , 0.5])

    See Also
    --------
    ipcae.sc.select : Select a gene panel from an AnnData.
    """
    low, high = limits
    if low is not None and high is not None and not 0 < low < high:
        raise InputError(
            f"expression_limits={limits!r} are not in order: expected a lower and an upper limit, "
            "such as (1.0, 5.0)."
        )
    reached = np.quantile(values, quantile, axis=0)
    costs = np.zeros(values.shape[1])
    if low is not None:
        costs += np.clip((low - reached) / low, 0, 1)
    if high is not None:
        costs += np.clip((reached - high) / high, 0, 1)
    return costs
