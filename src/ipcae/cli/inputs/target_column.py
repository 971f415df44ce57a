"""The target as it is written in a file: stray spaces, units, classes that differ only in case."""

from __future__ import annotations

import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.inputs.warnings.letter_case import warn_of_letter_case
from ipcae.cli.messages import Messages
from ipcae.tables.encodings.cells import cells_of


def clean_target(column: pd.Series) -> pd.Series:
    """Return a target without stray spaces; numbers that are written with a unit as numbers.

    Blank text is missing.

    >>> clean_target(pd.Series(["ill ", " ", "well", "ill"])).tolist()
    ['ill', nan, 'well', 'ill']
    >>> clean_target(pd.Series(["8,919 EUR", "950 EUR"])).tolist()
    [8919.0, 950.0]
    """
    if is_number(column) or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    cells = cells_of(column)
    if cells.storage == "number":
        return pd.Series(cells.values, index=column.index, name=column.name)
    if cells.storage != "text":
        return column
    texts = pd.Series(cells.values, index=column.index, name=column.name, dtype=object)
    return texts.where(texts.notna(), float("nan"))


def warn_of_similar_classes(target: pd.Series, messages: Messages) -> None:
    """Warn if the names of classes differ only in upper and lower case."""
    if is_number(target):
        return
    labels = target.dropna().astype(str).unique()
    warn_of_letter_case(f'classes of "{target.name}"', labels, messages)
