"""The target as it is written in a file: spaces, units, limits, times, and names of classes."""

from __future__ import annotations

import re
from shlex import quote

import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.inputs.warnings.column_warnings import warn_of_letter_case
from ipcae.cli.messages import Messages
from ipcae.quantities import MISSING_WORDS
from ipcae.tables.encodings.answer_scales import in_order
from ipcae.tables.encodings.cells import Cells, cells_of, times_in_texts
from ipcae.tables.encodings.clock_times import UNIT
from ipcae.tables.encodings.coding import ColumnCoding
from ipcae.text import listed

_UNKNOWN = {
    *("unknown", "not known", "unk", "don't know", "refused", "unclear", "undetermined"),
    *("indeterminate", "not determined", "not done", "not available", "not applicable", "n.d."),
    *("prefer not to say", "prefer not to answer", "rather not say", "no answer", "not stated"),
}
_CONTROL = re.compile(
    r"(pooled[ _-]?|sample[ _-]?)?(qcs?|pool|quality control)|(\w+[ _-])?blanks?", re.I
)
"""The names of samples that check a measurement."""


def clean_target(column: pd.Series) -> pd.Series:
    """Return a target without stray spaces; numbers that are written with a unit as numbers.

    Blank text is missing. Durations and times of day are numbers of days, as in other columns. The
    attributes of the result tell the unit, and how many numbers are detection limits.

    >>> clean_target(pd.Series(["ill ", " ", "well", "ill"])).tolist()
    ['ill', nan, 'well', 'ill']
    >>> clean_target(pd.Series(["8,919 EUR", "950 EUR"])).tolist()
    [8919.0, 950.0]
    >>> clean_target(pd.Series(["36:00:00", "6:00:00", "18:00:00"])).tolist()
    [1.5, 0.25, 0.75]
    """
    if is_number(column) or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    cells = cells_of(column)
    cells = _times(cells) or cells
    if cells.storage == "number":
        numbers = pd.Series(cells.values, index=column.index, name=column.name)
        numbers.attrs = {"unit": cells.unit, "n_limits": cells.n_limits}
        return numbers
    if cells.storage != "text":
        return column
    texts = pd.Series(cells.values, index=column.index, name=column.name, dtype=object)
    return texts.where(texts.notna(), float("nan"))


def _times(cells: Cells) -> Cells | None:
    """Return texts that are times as numbers of days; None for others, and if few times repeat."""
    if cells.storage != "text" or ColumnCoding.of(cells).unit != UNIT:
        return None
    return times_in_texts(cells.values)


def warn_of_limits(target: pd.Series, messages: Messages) -> None:
    """Warn if values of the target are limits, such as "<0.5"."""
    if n_limits := target.attrs.get("n_limits"):
        has = "value" if n_limits == 1 else "values"
        messages.warn(
            f'the target "{target.name}" has {n_limits:,} {has} with "<", ">" or "+", read as the '
            'limit, "<0.5" as 0.5: replace them, if another number is better.'
        )


def warn_of_unknown_classes(target: pd.Series, missing: str, messages: Messages) -> None:
    """Warn if the name of a class says that the class is not known, or that rows are controls.

    ``missing`` is what is done with missing values. "none" before "mild" and "severe" is a class.
    """
    if is_number(target):
        return
    labels = target.dropna().astype(str).unique()
    if in_order(labels) is not None:
        return
    unknown = [
        label
        for label in labels
        if label.lower() in _UNKNOWN | MISSING_WORDS or _CONTROL.fullmatch(label)
    ]
    if unknown and len(labels) - len(unknown) > 1:
        names = listed([f'"{label}"' for label in unknown])
        verb = "is a class" if len(unknown) == 1 else "are classes"
        given = [f"--missing-value {quote(label)}" for label in unknown]
        given += ["--missing drop"] if missing == "error" else []
        messages.warn(
            f'{names} {verb} of "{target.name}": if these rows have no known target, or are '
            f"controls of a measurement, leave them out with {' '.join(given)}."
        )


def warn_of_similar_classes(target: pd.Series, messages: Messages) -> None:
    """Warn if the names of classes differ only in upper and lower case."""
    if is_number(target):
        return
    labels = target.dropna().astype(str).unique()
    warn_of_letter_case(f'classes of "{target.name}"', labels, messages)
