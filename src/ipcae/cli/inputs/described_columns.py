"""What the columns of a table contain, and what is done with each of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Table

from ipcae.cli.inputs.columns import is_number_type, number_the_rows, numbers_of
from ipcae.cli.tables import add_row, new_table
from ipcae.errors import InputError
from ipcae.tables.encodings.encoding import Encoding
from ipcae.text import count, listed, shortened

MOST_SHOWN, MOST_ALIKE = 40, 3
_ID_NAME = re.compile(
    r"(^|[\W_])(id|uid|uuid|guid|index|key|nr|no|number)$|^row[\W_]?names?$|^unnamed: ?\d+$", re.I
)


@dataclass(frozen=True, eq=False)
class DescribedColumns:
    """The columns of a table that may be features.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns as they are in the file; numbers if all of them are.
    encoding : Encoding
        What they contain; columns that are left out have another kind than those that are used.
    coded : array of shape (N, D)
        One number per column, NaN for a missing value.
    impute : bool
        Whether missing values are filled in.
    """

    frame: pd.DataFrame
    encoding: Encoding
    coded: NDArray[np.float64]
    impute: bool = False

    @classmethod
    def of(
        cls, frame: pd.DataFrame, place: str, *, dates: str = "ignore", impute: bool = False
    ) -> DescribedColumns:
        """Describe the columns of a table; columns that only number the rows are left out."""
        if all(is_number_type(dtype) for dtype in set(frame.dtypes)):
            frame = numbers_of(frame)
            coded: NDArray[Any] = frame.to_numpy()
            n_missing = np.isnan(coded).sum(0).tolist()
            encoding = Encoding.of_numbers(list(frame.columns), n_missing, len(frame))
        else:
            frame = frame.reset_index(drop=True)
            encoding = Encoding.of(frame, dates=dates)
            coded = encoding.code(frame, name=place).numpy()
        codings = list(encoding.codings)
        for column, note in _identifiers(encoding, coded).items():
            codings[column] = replace(codings[column], kind="identifier", levels=(), note=note)
        return cls(frame, replace(encoding, codings=tuple(codings)), coded, impute)

    def used(self, place: str) -> DescribedColumns:
        """Return the columns that can be selected; raise an error if there are none."""
        left_out = set(self.encoding.left_out)
        if not left_out:
            return self
        kept = [column for column in range(len(self.encoding.names)) if column not in left_out]
        if not kept:
            reasons = [f"{name}: {use}" for name, _, _, use in self.rows()]
            raise InputError(f"{place} has no columns that can be used ({listed(reasons)}).")
        names = tuple(self.encoding.names[column] for column in kept)
        codings = tuple(self.encoding.codings[column] for column in kept)
        return replace(
            self,
            frame=self.frame.iloc[:, kept],
            encoding=Encoding(names, codings),
            coded=self.coded[:, kept],
        )

    def take(self, rows: NDArray[np.bool_]) -> DescribedColumns:
        """Return the rows of a mask."""
        return replace(self, frame=self.frame[rows].reset_index(drop=True), coded=self.coded[rows])

    @property
    def texts(self) -> pd.DataFrame:
        """The columns of text that are left out, as they are in the file."""
        return self.frame.iloc[:, [c.kind == "text" for c in self.encoding.codings]]

    @property
    def dates(self) -> list[str]:
        """The names of the columns of dates."""
        columns = zip(self.encoding.names, self.encoding.codings, strict=True)
        return [name for name, coding in columns if coding.kind in ("date", "date as number")]

    @property
    def numbers(self) -> pd.DataFrame:
        """The coded columns as a table."""
        return pd.DataFrame(self.coded, columns=list(self.encoding.names))

    def rows(self, *, every: bool = True) -> list[tuple[str, str, int, str]]:
        """Return the name, kind, number of missing values and use of columns.

        If not ``every``, leave out numbers without missing values, which need no explanation.
        """
        columns = zip(self.encoding.names, self.encoding.codings, strict=True)
        return [
            (name, coding.kind, coding.n_missing, coding.describe(impute=self.impute))
            for name, coding in columns
            if every or coding.kind not in ("number", "boolean") or coding.n_missing or coding.note
        ]


def _identifiers(encoding: Encoding, coded: NDArray[np.float64]) -> dict[int, str]:
    """Return the columns of numbers that identify the rows, each with the sign of it."""
    if len(coded) < 3:
        return {}
    numbered, found = number_the_rows(coded), {}
    for column, (name, coding) in enumerate(zip(encoding.names, encoding.codings, strict=True)):
        values = coded[:, column]
        if coding.kind != "number" or not np.isfinite(values).all():
            continue
        named = bool(_ID_NAME.search(str(name)))
        unique = (values % 1 == 0).all() and len(np.unique(values)) == len(values)
        if numbered[column] and (named or values[0] in (0, 1)):
            found[column] = "only numbers the rows"
        elif named and unique:
            found[column] = "all values differ"
    return found


def _lines(rows: Sequence[tuple[str, str, int, str]]) -> list[tuple[str, str, str, str]]:
    """Return the lines of a table of columns; many columns of one kind and use share a line.

    >>> _lines([(f"item {i}", "number", i, "used as it is") for i in range(9)])
    [('item 0, item 1, item 2, … 6 more', 'number', '0 to 8', 'used as it is')]
    """
    alike = defaultdict(list)
    for name, kind, n_missing, use in rows:
        alike[kind, use].append((shortened(name), n_missing))
    lines = []
    for (kind, use), columns in alike.items():
        together = [columns] if len(columns) > MOST_ALIKE else [[column] for column in columns]
        for part in together:
            names, gaps = zip(*part, strict=True)
            low, high = min(gaps), max(gaps)
            missing = f"{low:,} to {high:,}" if low < high else f"{high:,}" if high else ""
            lines.append((listed(names, 3), kind, missing, use))
    return lines


def columns_table(columns: DescribedColumns) -> Table | None:
    """Return a table of the columns that are not plain numbers, or None if all are."""
    rows = columns.rows(every=False)
    if not rows:
        return None
    table = new_table("column", "kind", "missing", "use", left=[0, 1, 3], wrap=[3])
    n_plain = len(columns.encoding.names) - len(rows)
    lines = _lines(rows)
    for names, kind, missing, use in lines[:MOST_SHOWN]:
        add_row(table, names, kind, missing, use)
    if len(lines) > MOST_SHOWN:
        kinds = Counter(kind for _, kind, _, _ in lines[MOST_SHOWN:])
        rest = ", ".join(count(n, kind).replace("ys", "ies") for kind, n in kinds.items())
        add_row(table, f"… {len(lines) - MOST_SHOWN:,} more", "", "", rest)
    if n_plain:
        add_row(table, count(n_plain, "other column"), "number", "", "used as it is")
    return table
