"""The target as it is written in a file: stray spaces, units, classes that differ only in case."""

from __future__ import annotations

from shlex import quote

import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.inputs.warnings.letter_case import warn_of_letter_case
from ipcae.cli.messages import Messages
from ipcae.quantities import MISSING_WORDS
from ipcae.tables.encodings.cells import cells_of
from ipcae.text import listed

_UNKNOWN = {
    *("unknown", "not known", "unk", "don't know", "refused", "unclear", "undetermined"),
    *("indeterminate", "not determined", "not done", "not available", "not applicable", "n.d."),
}


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


def warn_of_unknown_classes(target: pd.Series, missing: str, messages: Messages) -> None:
    """Warn if the name of a class says that the class of a row is not known.

    ``missing`` is what is done with missing values.
    """
    if is_number(target):
        return
    labels = target.dropna().astype(str).unique()
    unknown = [label for label in labels if label.lower() in _UNKNOWN | MISSING_WORDS]
    if unknown and len(labels) - len(unknown) > 1:
        names = listed([f'"{label}"' for label in unknown])
        verb = "is a class" if len(unknown) == 1 else "are classes"
        given = [f"--missing-value {quote(label)}" for label in unknown]
        given += ["--missing drop"] if missing == "error" else []
        messages.warn(
            f'{names} {verb} of "{target.name}": if these '
            f"rows have no known target, leave them out with {' '.join(given)}."
        )


def warn_of_similar_classes(target: pd.Series, messages: Messages) -> None:
    """Warn if the names of classes differ only in upper and lower case."""
    if is_number(target):
        return
    labels = target.dropna().astype(str).unique()
    warn_of_letter_case(f'classes of "{target.name}"', labels, messages)
