"""A last row with the totals or the means of the columns, or with a footnote."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.messages import Messages
from ipcae.text import shortened

_FEWEST_COLUMNS, _MOST_COLUMNS, _FEWEST_ROWS = 2, 50, 5
_ROUNDING = 1e-3  # of the totals, relative to a value


def has_total(table: pd.DataFrame) -> bool:
    """Return whether the last row has the totals, or the means, of most columns of numbers.

    >>> rows = pd.DataFrame({"a": range(8), "b": [3, 1, 4, 1, 5, 9, 2, 6], "c": list("xxyyxxyy")})
    >>> with_total = pd.concat([rows, pd.DataFrame({"a": [28], "b": [31], "c": ["Total"]})])
    >>> has_total(rows), has_total(with_total)
    (False, True)
    """
    numbers = (column for _, column in table.items() if is_number(column))
    columns = list(islice(numbers, _MOST_COLUMNS))
    if len(table) <= _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS:
        return False
    values = np.stack([column.to_numpy(np.float64, na_value=np.nan) for column in columns], 1)
    values = np.where(np.isfinite(values), values, np.nan)
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


def footnote(table: pd.DataFrame) -> str | None:
    """Return the only value of the last row, if it is a text and other rows have several.

    >>> footnote(pd.DataFrame({"a": ["P1", "P2", "By us"], "b": [3, 4, None], "c": [5, 6, None]}))
    'By us'
    """
    named = bool(table.attrs.get("row_names"))
    cells = table.reset_index() if named else table
    if len(cells) <= 1 or cells.shape[1] <= _FEWEST_COLUMNS:
        return None
    known = cells.notna().sum(axis=1)
    first = cells.iloc[-1, 0]
    if known.iloc[-1] > 1 or known.iloc[:-1].min() == 1 or not isinstance(first, str):
        return None
    return first


def without_total(table: pd.DataFrame, messages: Messages) -> pd.DataFrame:
    """Return the table without a last row of totals or a footnote, and say so."""
    if (text := footnote(table)) is not None:
        messages.warn(f'the last row has only one value ("{shortened(text, 60)}"): it is left out.')
        table = table.iloc[:-1]
    if not has_total(table):
        return table
    messages.warn("the last row has the totals or the means of the other rows: it is left out.")
    return table.iloc[:-1]
