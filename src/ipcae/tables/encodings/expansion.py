"""Expand coded columns to network inputs: one-hot levels and missing-value indicators."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.tables.encodings.coding import MISSING_LEVEL, ColumnCoding

VALUE, LEVEL, GAP = 0, 1, 2
"""What an expanded column contains: the number, whether it is a level, whether it is missing."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """How D coded columns become E columns without missing values.

    Shape: owner, role and level (E,): the coded column, :data:`VALUE`, :data:`LEVEL` or
    :data:`GAP`, and the number of the level; fill (E,), the value that replaces missing ones.

    Examples
    --------
    >>> codings = [ColumnCoding("number", n_missing=1), ColumnCoding("category", ("no", "yes"))]
    >>> rows = torch.tensor([[1.0, 0.0], [3.0, 1.0], [torch.nan, -1.0]])
    >>> Expansion.of(codings, rows).apply(rows)
    tensor([[1., 0., 1., 0.],
            [3., 0., 0., 1.],
            [2., 1., 0., 0.]])
    """

    n_columns: int
    owner: Integers
    role: Integers
    level: Integers
    fill: Floats

    @classmethod
    def of(cls, codings: Sequence[ColumnCoding], rows: Tensor) -> Expansion:
        """Return the expansion of columns; missing numbers are replaced by medians of the rows."""
        entries: list[tuple[int, int, int]] = []
        for column, coding in enumerate(codings):
            if coding.has_indicators:
                entries += [(column, LEVEL, level) for level in range(len(coding.levels))]
            elif coding.used:
                entries.append((column, VALUE, 0))
                if coding.n_missing:
                    entries.append((column, GAP, 0))
        owner, role, level = (np.array(part, dtype=np.int64) for part in zip(*entries, strict=True))
        fill = np.zeros(len(owner))
        values = role == VALUE
        fill[values] = _medians(rows[:, owner[values]].double().cpu().numpy())
        for entry in np.flatnonzero(role == LEVEL):
            fill[entry] = codings[owner[entry]].levels[level[entry]] == MISSING_LEVEL
        return cls(len(codings), owner, role, level, fill)

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def sizes(self) -> Integers:
        """The number of expanded columns of every column, 0 if it is left out. Shape: (D,)."""
        return np.bincount(self.owner, minlength=self.n_columns)

    def apply(self, rows: Tensor) -> Tensor:
        """Expand rows. Shape: (N, D) -> (N, E)."""
        owner, role, level, fill = (
            torch.from_numpy(part).to(rows.device)
            for part in (self.owner, self.role, self.level, self.fill)
        )
        taken = rows.index_select(1, owner)
        gaps = taken.isnan()
        values = torch.where(role == LEVEL, (taken == level).to(rows.dtype), taken)
        values = torch.where(gaps, fill.to(rows.dtype), values)
        return torch.where(role == GAP, gaps.to(rows.dtype), values)

    def observed(self, rows: Tensor) -> Tensor:
        """Return which expanded values were measured, neither filled nor marks. -> (N, E), bool."""
        owner = torch.from_numpy(self.owner).to(rows.device)
        role = torch.from_numpy(self.role).to(rows.device)
        return ~rows.index_select(1, owner).isnan() & (role != GAP)

    def columns(self, columns: Sequence[int]) -> Expansion:
        """Return the expansion of some of the columns, in this order."""
        where = [np.flatnonzero(self.owner == column) for column in columns]
        index = np.concatenate(where) if where else np.zeros(0, dtype=np.int64)
        owner = np.repeat(np.arange(len(columns)), [len(part) for part in where])
        return Expansion(len(columns), owner, self.role[index], self.level[index], self.fill[index])

    def collapse(self, values: Tensor) -> Tensor:
        """Return one number per column: the value, or the level with the largest number.

        Columns that are left out are NaN. Shape: (N, E) -> (N, D).
        """
        rows = values.new_full((len(values), self.n_columns), torch.nan)
        for column in range(self.n_columns):
            own = self.owner == column
            if (levels := np.flatnonzero(own & (self.role == LEVEL))).size:
                rows[:, column] = values[:, levels].argmax(1).to(values.dtype)
            elif (value := np.flatnonzero(own & (self.role == VALUE))).size:
                rows[:, column] = values[:, value[0]]
        return rows

    def names(self, names: Sequence[str], codings: Sequence[Any]) -> list[str]:
        """Return the names of the expanded columns.

        >>> codings = [ColumnCoding("number", n_missing=1), ColumnCoding("category", ("a", "b"))]
        >>> Expansion.of(codings, torch.zeros(1, 2)).names(["age", "kind"], codings)
        ['age', 'age is missing', 'kind=a', 'kind=b']
        """
        labels = []
        for owner, role, level in zip(self.owner, self.role, self.level, strict=True):
            text = codings[owner].levels[level] if role == LEVEL else ""
            if role == GAP or text == MISSING_LEVEL:
                labels.append(f"{names[owner]} is missing")
            else:
                labels.append(f"{names[owner]}={text}" if role == LEVEL else str(names[owner]))
        return labels


def _medians(values: Floats) -> Floats:
    """Return the median of every column, 0 if all values are missing. Shape: (N, D) -> (D,)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nan_to_num(np.nanmedian(values, axis=0))
