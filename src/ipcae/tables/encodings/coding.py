"""Code every column as one number per row: a category becomes the number of its level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats
from ipcae.quantities import MISSING_WORDS, is_number
from ipcae.tables.encodings.answer_scales import in_order
from ipcae.tables.encodings.cells import Cells
from ipcae.tables.encodings.clock_times import UNIT, are_times
from ipcae.tables.encodings.dates import are_dates, days_of_texts
from ipcae.text import count, listed

MOST_LEVELS = 30
"""Text with more levels than this is not used as a category."""

UNKNOWN = -1.0
"""The code of a level that was not seen in fit."""

MISSING_LEVEL = "(missing)"

USED = ("number", "boolean", "category", "ordered", "constant", "date as number")
"""The kinds of columns that can be selected."""


@dataclass(frozen=True)
class ColumnCoding:
    """What a column contains, and how its values become numbers.

    Attributes
    ----------
    kind : str
        One of :data:`USED` or, if the column is left out, "text", "identifier", "date", "empty" or
        "other".
    levels : tuple of str
        The levels of a category, or ordered levels; a value becomes the index of its level.
    note : str
        Why a column is left out, or a remark.
    n_missing : int
        Number of missing values in fit.
    unit : str
        The unit of numbers that were written as text, such as "EUR".
    n_limits : int
        Number of values in fit that were detection limits, such as "<0.5".
    """

    kind: str
    levels: tuple[str, ...] = ()
    note: str = ""
    n_missing: int = 0
    unit: str = ""
    n_limits: int = 0

    @property
    def used(self) -> bool:
        """Whether the column can be selected."""
        return self.kind in USED

    @property
    def has_indicators(self) -> bool:
        """Whether every level becomes a column of zeros and ones."""
        return bool(self.levels) and self.kind != "ordered"

    @classmethod
    def of(cls, cells: Cells, *, dates: str = "ignore", impute: bool = False) -> ColumnCoding:
        """Decide how to use a column.

        >>> import pandas as pd
        >>> from ipcae.tables.encodings.cells import cells_of
        >>> ColumnCoding.of(cells_of(pd.Series(["red", "blue", "red", "blue"]))).levels
        ('blue', 'red')
        >>> ColumnCoding.of(cells_of(pd.Series(["P1", "P2", "P3"]))).note
        'all 3 values differ, such as "P1"'
        """
        n_missing = int(cells.missing().sum()) if cells.storage in _STORAGES else 0
        if cells.storage not in _STORAGES:
            return cls("other", note=f"contains {cells.storage}")
        if n_missing == len(cells.values):
            return cls("empty", note="every value is missing", n_missing=n_missing)
        if cells.is_text:
            return cls._of_text(cells, n_missing, dates=dates, impute=impute)
        if cells.storage == "date":
            if dates == "numbers":
                return cls("date as number", note=_DAYS, n_missing=n_missing)
            return cls("date", note="dates are used only if asked for", n_missing=n_missing)
        low, high = np.nanmin(cells.values), np.nanmax(cells.values)
        kind = "constant" if low == high and not n_missing else cells.storage
        note = f"always {low:g}" if kind == "constant" else ""
        if cells.unit and not note:
            note = f'numbers, in "{cells.unit}"'
        if cells.n_limits:
            are = "value is a limit" if cells.n_limits == 1 else "values are limits"
            limits = f'{cells.n_limits:,} {are} (as "<5" or "5+"), read as the number'
            note = f"{note}; {limits}" if note else limits
        return cls(kind, note=note, n_missing=n_missing, unit=cells.unit, n_limits=cells.n_limits)

    @classmethod
    def _of_text(cls, cells: Cells, n_missing: int, *, dates: str, impute: bool) -> ColumnCoding:
        times = Counter(value for value in cells.values if value is not None)
        example = next(iter(times))
        n_present = len(cells.values) - n_missing
        ordered = _in_order(cells, times)
        if ordered is not None and len(ordered) > 1:
            return cls("ordered", ordered, n_missing=n_missing)
        if cells.storage == "text":
            if are_dates(times):
                return cls._of_dates(cells, example, n_missing, dates)
            # Few times of day, such as the starts of shifts, are better used as levels.
            if len(times) > min(MOST_LEVELS, n_present // 2) and are_times(times):
                return cls("number", note=_TIMES, n_missing=n_missing, unit=UNIT)
            odd = [value for value in times if not _may_be_number(value)]
            if len(times) > 2 and len(odd) < len(times) / 2:
                n_odd = sum(times[value] for value in odd)
                are = "is" if n_odd == 1 else "are"
                note = f'{n_odd:,} of {n_present:,} values {are} not numeric, such as "{odd[0]}"'
                return cls("text", note=note, n_missing=n_missing)
            if len(times) == n_present > 2:
                note = f'all {n_present:,} values differ, such as "{example}"'
                return cls("identifier", note=note, n_missing=n_missing)
        if len(times) > MOST_LEVELS:
            note = f'{len(times):,} different texts, such as "{example}"'
            if n_options := _count_options(times):
                combined = f"{len(times):,} combinations of {n_options} options"
                note = f'{combined}, such as "{example}"; make one column per option'
            return cls("text", note=note, n_missing=n_missing)
        return cls._of_levels(times, n_missing, impute)

    @classmethod
    def _of_levels(cls, times: Counter[str], n_missing: int, impute: bool) -> ColumnCoding:
        levels = tuple(sorted(times))
        if impute and n_missing:
            levels = (*(level for level in levels if level != MISSING_LEVEL), MISSING_LEVEL)
        if len(levels) == 1:
            note = f'always "{levels[0]}"'
            return cls("constant" if not n_missing else "category", levels, note, n_missing)
        note = ""
        if n_options := _count_options(times):
            note = f"combinations of {n_options} options; one column per option may tell more"
        return cls("category", levels, note, n_missing)

    @classmethod
    def _of_dates(cls, cells: Cells, example: str, n_missing: int, dates: str) -> ColumnCoding:
        if dates == "numbers" and days_of_texts(cells.values) is not None:
            return cls("date as number", note=_DAYS, n_missing=n_missing)
        note = f'dates, such as "{example}", are used only if asked for'
        if dates == "numbers":
            note = f'dates must be written as 2024-01-31 or 31.1.2024, not as "{example}"'
        return cls("date", note=note, n_missing=n_missing)

    def encode(self, cells: Cells) -> Floats:
        """Return a number for every value: NaN if it is missing, UNKNOWN for an unseen level."""
        if not self.used:
            return np.zeros(len(cells.values))
        if not self.levels:
            days = days_of_texts(cells.values) if cells.is_text else cells.values
            if days is None:
                raise ValueError("text instead of numbers")
            return days
        codes: dict[str | None, float] = {level: float(i) for i, level in enumerate(self.levels)}
        codes[None] = codes.get(MISSING_LEVEL, np.nan)
        values = cells.values if cells.is_text else _as_texts(cells)
        return np.array([codes.get(value, UNKNOWN) for value in values], dtype=np.float64)

    def describe(self, *, impute: bool = False) -> str:
        """Return what is done with the column, in words."""
        if not self.used:
            return f"left out: {self.note}"
        gaps = impute and bool(self.n_missing)
        if self.kind == "category":
            levels = [level for level in self.levels if level != MISSING_LEVEL]
            missing = ", and missing" if gaps else ""
            note = f" ({self.note})" if len(levels) > 1 and self.note else ""
            return f"{count(len(levels), 'level')}{missing}{note}: {listed(levels, 4)}"
        use = self.note or "used as it is"
        if self.kind == "ordered":
            use = f"{count(len(self.levels), 'level')} in this order: {listed(self.levels, 4)}"
        return f"{use}; missing values are filled with the median and marked" if gaps else use


_DAYS = "days since 1970-01-01"
_TIMES = f"times, as a number of {UNIT}"
_STORAGES = ("number", "boolean", "date", "category", "text")


def _may_be_number(text: str) -> bool:
    return text.lower() in MISSING_WORDS or is_number(text.replace(",", "."))


def _count_options(texts: Iterable[str]) -> int:
    """Return of how many options the texts are lists, such as "email; phone", 0 if they are none.

    >>> _count_options(["a;b", "b", "c", "a;c", "b;c", "a;b;c", "a"])
    3
    >>> _count_options(["one, two", "three", "four, five", "six"])
    0
    """
    texts = list(texts)
    for separator in ";|,":
        options = {part.strip() for text in texts for part in text.split(separator)}
        if len(options) <= MOST_LEVELS and len(options) < len(texts) / 2:
            return len(options)
    return 0


def _in_order(cells: Cells, present: Iterable[str]) -> tuple[str, ...] | None:
    """Return the levels of a column in their order, None if they have none."""
    if cells.storage == "text":
        return in_order(present)
    return tuple(level for level in cells.order if level in set(present)) if cells.order else None


def _as_texts(cells: Cells) -> Sequence[str | None]:
    if cells.storage == "boolean":
        return [None if np.isnan(v) else str(bool(v)) for v in cells.values]
    return [None if np.isnan(v) else f"{v:g}" if v % 1 else str(int(v)) for v in cells.values]
