"""Rows in the order of time, of which neighbors are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.arrays import Booleans, Floats, Integers, quotient
from ipcae.tables.dependence.between_groups import (
    CERTAIN,
    codes_of,
    column_means,
    given_target,
    share_between,
    single_targets,
    spaced_columns,
)
from ipcae.tables.encodings.cells import cells_of
from ipcae.tables.encodings.dates import days_of_slashed_texts
from ipcae.tables.encodings.encoding import Encoding

if TYPE_CHECKING:
    import pandas as pd

N_PERIODS = 20
_FEWEST_ROWS, _MOST_ROWS = 50, 100_000
_BLOCK = 50  # rows whose mean is subtracted
_ALIKE = 0.6  # correlation of neighboring rows
_TREND = 0.3  # share of the variance that is between periods


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
    center = np.nan_to_num(blocks - column_means(blocks, axis=1))
    spread = np.square(center).sum((0, 1))
    product = (center[:, 1:] * center[:, :-1]).sum((0, 1))
    return quotient(product, spread)


def trend(values: Floats) -> Floats:
    """Return the share of the variance of a column between periods. Shape: (N, D) -> (D,).

    >>> steps = np.random.default_rng(0).normal(size=(500, 2))
    >>> steps[:, 1] += np.linspace(0, 9, 500)
    >>> trend(steps) > 0.5
    array([False,  True])
    """
    return share_between(values, np.arange(len(values)) * N_PERIODS // len(values))


def in_time_order(columns: Floats, target: Any, *, dated: bool = False) -> bool:
    """Return whether neighboring rows are alike, in the target and in some of the columns.

    Rows that are sorted by the target or by a column are alike for another reason: the columns are
    compared with those of rows of a similar target, and sorted columns are ignored. If rows are
    known to be in the order of time (``dated``), slow trends count, too, and a target that is less
    alike counts if a column is more alike: what matters is their product (see
    :func:`ipcae.tables.dependence.design_effect.label_of_clusters`).
    """
    codes = codes_of(np.asarray(target))
    if len(codes) < _FEWEST_ROWS or _is_sorted(codes[:, None])[0]:
        return False
    enough = CERTAIN / np.sqrt(min(len(codes), _MOST_ROWS))
    given: Floats | None = None
    for sign, alike in ((neighbor_correlation, _ALIKE), (trend, _TREND))[: 1 + dated]:
        own = float(sign(codes[:, None])[0])
        if own < (enough if dated else alike):
            continue
        if given is None:
            some = spaced_columns(columns[:_MOST_ROWS])
            given = given_target(some, codes[:_MOST_ROWS])[:, ~_is_sorted(some)]
        if (sign(given) > max(alike**2 / own if dated else alike, enough)).any():
            return True
    return False


def _is_sorted(values: Floats) -> Booleans:
    """Return which columns rise or fall throughout. Shape: (N, D) -> (D,)."""
    steps = np.diff(values, axis=0)
    return ((steps >= 0).all(0) | (steps <= 0).all(0)) & (steps != 0).any(0)


def time_order_of(columns: Floats, target: Any, times: pd.DataFrame | None = None) -> str | None:
    """Return the column of dates by which neighboring rows are alike, "" if as they are, or None.

    Rows are compared in the order of the columns of ``times`` that are dates, and in their own. If
    there are several targets, one that is alike is enough.
    """
    targets = single_targets(target)
    for name, column in () if times is None else times.items():
        moments = moments_of(column)
        order = None if moments is None else np.argsort(moments, kind="stable")
        if order is None:
            continue
        if any(in_time_order(columns[order], y[order], dated=True) for y in targets):
            return str(name)
    return "" if any(in_time_order(columns, y) for y in targets) else None


def moments_of(column: pd.Series) -> Floats | None:
    """Return the number of days since 1970 if a column has dates or times that mostly differ."""
    if column.nunique() <= max(len(column) / 2, N_PERIODS):
        return None
    coding = Encoding.of(column.to_frame(), dates="numbers").codings[0]
    if coding.kind == "date as number":
        return np.asarray(coding.encode(cells_of(column)))
    if coding.kind != "date":
        return None
    # 3/4/2024 is in March or in April: both readings must put the rows in the same order.
    readings = days_of_slashed_texts(cells_of(column).values)
    orders = {np.argsort(days, kind="stable").tobytes() for days in readings}
    return readings[0] if len(orders) == 1 else None


def periods(column: pd.Series) -> Integers | None:
    """Return the period of every row, of 20 with equally many rows, if a column has times.

    None for other columns, and if most rows share their date with others.

    >>> import pandas as pd
    >>> times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="h"))
    >>> periods(times)[[0, 1, 2, 39]].tolist()
    [0, 0, 1, 19]
    """
    moments = moments_of(column)
    if moments is None:
        return None
    place = np.argsort(np.argsort(moments, kind="stable"))
    return place * N_PERIODS // len(place)
