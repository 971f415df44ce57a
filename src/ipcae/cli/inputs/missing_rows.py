"""Rows with missing values, and what ``--missing`` does with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.columns import check_finite, is_number
from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import InputOptions
from ipcae.errors import InputError


def without_missing(
    X: DescribedColumns, y: Any, options: InputOptions, messages: Messages
) -> tuple[DescribedColumns, Any, NDArray[np.bool_]]:
    """Return the rows that can be used and which they are.

    Raise an error if rows may not be dropped.
    """
    place = str(options.table)
    n_rows = len(X.frame)
    missing = np.zeros(n_rows, dtype=bool) if y is None else _is_missing(y)
    if options.missing == "error":
        if missing.any():
            name = options.target or f"{options.time} and {options.event}"
            raise InputError(
                f'the target "{name}" is missing in {missing.sum():,} of {n_rows:,} rows of '
                f"{place}: fill in the values, or drop these rows with --missing drop, or with "
                "--missing impute, which fills in missing values of other columns."
            )
        check_finite(X.numbers, place)
        return X, y, ~missing
    what = "no target"
    if options.missing == "impute":
        check_finite(X.numbers.fillna(0.0), place)
    else:
        missing, what = missing | ~np.isfinite(X.coded).all(1), "missing values"
    if missing.all() and what == "no target":
        raise InputError(f"the target is missing in every row of {place}: choose another one.")
    if missing.all():
        raise InputError(
            f"every row of {place} has a missing value: --missing drop would leave no rows. Fill "
            "them in with --missing impute, or drop the columns with the most missing values with "
            "--drop COLUMN."
        )
    if missing.any():
        has, are = ("has", "is") if missing.sum() == 1 else ("have", "are")
        messages.warn(f"{missing.sum():,} of {n_rows:,} rows {has} {what} and {are} dropped.")
    keep = ~missing
    return X.take(keep), None if y is None else y[keep].reset_index(drop=True), keep


def _is_missing(y: pd.Series | pd.DataFrame) -> NDArray[np.bool_]:
    if isinstance(y, pd.DataFrame):
        return np.any([_is_missing(y[name]) for name in y], axis=0)
    if is_number(y):
        return ~np.isfinite(y.to_numpy(dtype=np.float64, na_value=np.nan))
    return y.isna().to_numpy(dtype=bool)
