"""Rows in the order of time, of which neighbors are alike."""

from __future__ import annotations

from shlex import quote
from typing import Any

import numpy as np
import pandas as pd

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.cli.messages import Messages
from ipcae.tables.encodings.encoding import Encoding

N_PERIODS = 20
_FEWEST_ROWS, _MOST_ROWS, _MOST_COLUMNS = 50, 100_000, 1000
_BLOCK = 50  # rows whose mean is subtracted
_ALIKE = 0.6  # correlation of neighboring rows
_CERTAIN = 5.0  # standard deviations of this correlation for independent rows


def neighbor_correlation(values: Floats) -> Floats:
    """Return the correlation of every row of a column with the next. Shape: (N, D) -> (D,).

    It is that of the differences from the means of successive blocks of rows, which a slow trend
    does not change.

    >>> steps = np.random.default_rng(0).normal(size=(500, 2))
    >>> steps[:, 1] += np.linspace(0, 9, 500)
    >>> neighbor_correlation(np.stack([steps[:, 0].cumsum(), steps[:, 1]], 1)) > 0.5
    array([ True, False])
    """
    n_blocks = len(values) // _BLOCK
    blocks = values[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK, -1)
    center = np.nan_to_num(blocks - _means(blocks, 1))
    spread = np.square(center).sum((0, 1))
    product = (center[:, 1:] * center[:, :-1]).sum((0, 1))
    return np.divide(product, spread, out=np.zeros(len(spread)), where=spread > 0)


def _means(values: Floats, axis: int) -> Floats:
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis, keepdims=True)
    return total / np.maximum(known.sum(axis, keepdims=True), 1)


def in_time_order(columns: Floats, target: Any) -> bool:
    """Return whether neighboring rows are alike, in the target and in some of the columns.

    Rows that are sorted by the target or by a column are alike for another reason: the columns are
    compared with those of rows of a similar target, and sorted columns are ignored.
    """
    codes = pd.factorize(np.asarray(target), sort=True)[0].astype(float)
    if len(codes) < _FEWEST_ROWS or neighbor_correlation(codes[:, None])[0] < _ALIKE:
        return False
    some = columns[:_MOST_ROWS, :: -(-columns.shape[1] // _MOST_COLUMNS)]
    codes = codes[:_MOST_ROWS]
    if _is_sorted(codes[:, None])[0]:
        return False
    alike = neighbor_correlation(_given_target(some, codes))
    enough = max(_ALIKE, _CERTAIN / np.sqrt(len(codes)))
    return bool((alike[~_is_sorted(some)] > enough).any())


def _given_target(columns: Floats, codes: Floats, width: int = 20) -> Floats:
    """Return the differences from the mean of rows of a similar target. Shape: (N, D) -> (N, D)."""
    filled = np.where(np.isfinite(columns), columns, _means(columns, 0))
    order = np.random.default_rng(0).permutation(len(codes))  # of rows with the same target
    order = order[np.argsort(codes[order], kind="stable")]
    sums = np.concatenate([np.zeros((1, filled.shape[1])), filled[order].cumsum(0)])
    first = np.clip(np.arange(len(codes)) - width // 2, 0, len(codes) - width)
    means = np.empty_like(filled)
    means[order] = (sums[first + width] - sums[first]) / width
    return filled - means


def _is_sorted(values: Floats) -> Booleans:
    """Return which columns rise or fall throughout. Shape: (N, D) -> (D,)."""
    steps = np.diff(values, axis=0)
    return ((steps >= 0).all(0) | (steps <= 0).all(0)) & (steps != 0).any(0)


def warn_of_time_order(
    columns: Floats, target: Any, times: pd.DataFrame, messages: Messages
) -> None:
    """Warn that held-out rows between training rows are easier to predict than later ones.

    Rows are compared in their order, and in that of the columns of ``times`` that are dates.
    """
    if target is None:
        return
    labels, use = np.asarray(target), None
    for name in times.columns:
        moments = moments_of(times[name])
        order = None if moments is None else np.argsort(moments, kind="stable")
        if order is not None and in_time_order(columns[order], labels[order]):
            use = quote(str(name))
            break
    if use is None and in_time_order(columns, labels):
        use = "with a column of dates and times, or one such as the day or the batch"
    if use is not None:
        messages.warn(
            "neighboring rows are alike, as in a time series: held-out rows lie between training "
            "rows, which makes results look better than they are, and columns of noise may be "
            f"selected. Use --groups {use}."
        )


def moments_of(column: pd.Series) -> Floats | None:
    """Return the number of days since 1970 if a column has dates or times that mostly differ."""
    if column.nunique() <= max(len(column) / 2, N_PERIODS):
        return None
    encoding = Encoding.of(column.to_frame(), dates="numbers")
    if encoding.codings[0].kind != "date as number":
        return None
    return np.asarray(encoding.code(column.to_frame()).numpy()[:, 0])


def periods(column: pd.Series) -> Integers | None:
    """Return the period of every row, of 20 with equally many rows, if a column has times.

    None for other columns, and if most rows share their date with others.

    >>> times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="h"))
    >>> periods(times)[[0, 1, 2, 39]].tolist()
    [0, 0, 1, 19]
    """
    moments = moments_of(column)
    if moments is None:
        return None
    order = np.argsort(moments, kind="stable")
    period = np.empty(len(order), dtype=np.int64)
    period[order] = np.arange(len(order)) * N_PERIODS // len(order)
    return period
