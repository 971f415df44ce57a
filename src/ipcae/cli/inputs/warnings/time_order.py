"""Rows in the order of time, of which neighbors are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.messages import Messages
from ipcae.tables.encodings.encoding import Encoding

Array = NDArray[np.float64]

N_PERIODS = 20
_FEWEST_ROWS, _MOST_COLUMNS = 50, 1000
_ALIKE = 0.6  # correlation of neighboring rows


def neighbor_correlation(values: Array) -> Array:
    """Return the correlation of every row of a column with the next. Shape: (N, D) -> (D,).

    >>> steps = np.random.default_rng(0).normal(size=(500, 2))
    >>> neighbor_correlation(np.stack([steps[:, 0].cumsum(), steps[:, 1]], 1)) > 0.5
    array([ True, False])
    """
    center = np.where(np.isfinite(values), values, np.nan)
    center = np.nan_to_num(center - np.nanmean(center, axis=0))
    spread = np.square(center).sum(0)
    product = (center[1:] * center[:-1]).sum(0)
    return np.divide(product, spread, out=np.zeros(len(spread)), where=spread > 0)


def in_time_order(columns: Array, target: Any) -> bool:
    """Return whether neighboring rows are alike, in the target and in half of the columns.

    Rows that are sorted by the target or by a column are alike for another reason.
    """
    codes = pd.factorize(np.asarray(target), sort=True)[0].astype(float)[:, None]
    if len(codes) < _FEWEST_ROWS or neighbor_correlation(codes)[0] < _ALIKE:
        return False
    some = columns[:, :: -(-columns.shape[1] // _MOST_COLUMNS)]
    both = np.concatenate([some, codes], axis=1)
    if _is_sorted(both).any():
        return False
    return bool(np.median(neighbor_correlation(some)) > _ALIKE)


def _is_sorted(values: Array) -> NDArray[np.bool_]:
    """Return which columns rise or fall throughout. Shape: (N, D) -> (D,)."""
    steps = np.diff(values, axis=0)
    return ((steps >= 0).all(0) | (steps <= 0).all(0)) & (steps != 0).any(0)


def warn_of_time_order(columns: Array, target: Any, messages: Messages) -> None:
    """Warn that held-out rows between training rows are easier to predict than later ones."""
    if target is not None and in_time_order(columns, target):
        messages.warn(
            "neighboring rows are alike, as in a time series: held-out rows lie between training "
            "rows, which makes results look better than they are, and columns of noise may be "
            "selected. Use --groups with a column of dates and times, or one such as the day or "
            "the batch."
        )


def periods(column: pd.Series) -> NDArray[np.int64] | None:
    """Return the period of every row, of 20 with equally many rows, if a column has times.

    None for other columns, and if most rows share their date with others.

    >>> times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="h"))
    >>> periods(times)[[0, 1, 2, 39]].tolist()
    [0, 0, 1, 19]
    """
    if column.nunique() <= max(len(column) / 2, N_PERIODS):
        return None
    encoding = Encoding.of(column.to_frame(), dates="numbers")
    if encoding.codings[0].kind != "date as number":
        return None
    moments = encoding.code(column.to_frame()).numpy()[:, 0]
    order = np.argsort(moments, kind="stable")
    period = np.empty(len(order), dtype=np.int64)
    period[order] = np.arange(len(order)) * N_PERIODS // len(order)
    return period
