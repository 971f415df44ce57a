"""The groups of rows that belong together, from a column of a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.columns import nested
from ipcae.cli.messages import Messages
from ipcae.errors import InputError
from ipcae.tables.dependence.shared_beginnings import shared_beginnings
from ipcae.tables.dependence.time_order import N_PERIODS, periods
from ipcae.tables.encodings.encoding import Encoding


def groups_of_rows(column: pd.Series, place: str, messages: Messages) -> NDArray[np.generic] | None:
    """Return the group of every row: its value, its period, or the beginning of its name.

    None, with a warning, if every row is a group of its own.
    """
    if column.isna().any():
        raise InputError(
            f'the group "{column.name}" is missing in {column.isna().sum()} of {len(column)} rows '
            f"of {place}: fill in the values."
        )
    if content := nested(column):
        raise InputError(
            f'the groups "{column.name}" of {place} are {content}: expected numbers or texts.'
        )
    by_time = periods(column)
    if by_time is not None:
        messages.say(f'The groups are {N_PERIODS} successive periods, by "{column.name}".')
        return by_time
    if not column.is_unique:
        return pd.factorize(column)[0]
    beginnings = shared_beginnings(column)
    if beginnings is not None:
        messages.say(
            f'The groups are {len(set(beginnings)):,} beginnings of "{column.name}", such as '
            f'"{beginnings[0]}" of "{column.iloc[0]}".'
        )
        return pd.factorize(beginnings)[0]
    _refuse_dates(column, place)
    messages.warn(
        f'all values of "{column.name}" (--groups) differ, so that every row is a group of its '
        "own. Use a column with the same value in rows that belong together."
    )
    return None


def _refuse_dates(column: pd.Series, place: str) -> None:
    """Raise an error if a column has dates, but it is unclear what is the day and the month."""
    coding = Encoding.of(column.to_frame(), dates="numbers").codings[0]
    if coding.kind == "date":
        raise InputError(f'the groups "{column.name}" of {place} cannot be used: {coding.note}.')
