"""A last row with the totals or the means of the columns, as spreadsheets have it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.messages import Messages

_FEWEST_COLUMNS, _MOST_COLUMNS, _FEWEST_ROWS = 2, 50, 5
_ROUNDING = 1e-3  # of the totals, relative to a value


def has_total(table: pd.DataFrame) -> bool:
    """Return whether the last row has the totals, or the means, of most columns of numbers.

    >>> rows = pd.DataFrame({"a": range(8), "b": [3, 1, 4, 1, 5, 9, 2, 6], "c": list("xxyyxxyy")})
    >>> with_total = pd.concat([rows, pd.DataFrame({"a": [28], "b": [31], "c": ["Total"]})])
    >>> has_total(rows), has_total(with_total)
    (False, True)
    """
    columns = [column for _, column in table.items() if is_number(column)][:_MOST_COLUMNS]
    if len(table) <= _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS:
        return False
    values = np.stack([column.to_numpy(np.float64, na_value=np.nan) for column in columns], 1)
    above, last = values[:-1], values[-1]
    known = np.isfinite(last) & np.isfinite(above).any(0)
    above, last = above[:, known], last[known]
    varying = np.nanmax(above, axis=0, initial=-np.inf) > np.nanmin(above, axis=0, initial=np.inf)
    above, last = above[:, varying], last[varying]
    if len(last) < _FEWEST_COLUMNS:
        return False
    size = np.nanmean(np.abs(above), axis=0)
    totals, means = np.nansum(above, axis=0), np.nanmean(above, axis=0)
    same = max((np.abs(expected - last) <= _ROUNDING * size).sum() for expected in (totals, means))
    return bool(same >= max(_FEWEST_COLUMNS, len(last) / 2))


def without_total(table: pd.DataFrame, messages: Messages) -> pd.DataFrame:
    """Return the table without a last row of totals, and say so."""
    if not has_total(table):
        return table
    messages.warn("the last row has the totals or the means of the other rows: it is left out.")
    return table.iloc[:-1]
