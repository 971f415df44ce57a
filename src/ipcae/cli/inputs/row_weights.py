"""The column of ``--weights``: how much every row counts in training."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.messages import Messages
from ipcae.errors import InputError


def weighted_rows(
    table: pd.DataFrame, name: str, place: str, messages: Messages
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return the rows whose weight is not 0, and their weights.

    >>> table = pd.DataFrame({"age": [31, 54, 47], "weight": [0.5, 0, 2]})
    >>> rows, weights = weighted_rows(table, "weight", "survey.csv", Messages(quiet=True))
    >>> rows["age"].tolist(), weights.tolist()
    ([31, 47], [0.5, 2.0])
    """
    column = table[name]
    if not is_number(column):
        raise InputError(f'"{name}" (--weights) of {place} is not numeric: expected numbers.')
    weights = column.to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        raise InputError(
            f'"{name}" (--weights) of {place} is missing, infinite or negative in {bad.sum()} of '
            f"{len(weights)} rows: expected a number in every row, 0 to leave the row out."
        )
    counted = weights > 0
    if not counted.any():
        raise InputError(f'"{name}" (--weights) of {place} is 0 in every row.')
    if not counted.all():
        n_left_out = int((~counted).sum())
        are = "row of weight 0 is" if n_left_out == 1 else "rows of weight 0 are"
        messages.say(f"{n_left_out:,} {are} left out.")
    return table[counted].reset_index(drop=True), weights[counted]
