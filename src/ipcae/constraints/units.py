"""Units of selection: groups of columns, and columns that are in no group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Integers

Columns = tuple[int, ...]
Values = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Units(Sequence[Columns]):
    """The columns of every unit, in the order of their first columns.

    Parameters
    ----------
    n_features : int
        Number of columns, D.
    groups : tuple of tuples of int
        Columns that are selected together or not at all; no column is in two groups.

    Examples
    --------
    >>> units = Units(6, groups=((1, 3),))
    >>> list(units)
    [(0,), (1, 3), (2,), (4,), (5,)]
    >>> units.of_column
    array([0, 1, 2, 1, 3, 4])
    """

    n_features: int
    groups: tuple[Columns, ...] = ()

    @cached_property
    def first(self) -> Integers:
        """The first column of every unit."""
        return np.flatnonzero(self._first_of_column == np.arange(self.n_features))

    @cached_property
    def of_column(self) -> Integers:
        """The unit of every column, of shape (D,)."""
        if not self.groups:
            return np.arange(self.n_features)
        position = np.empty(self.n_features, dtype=np.int64)
        position[self.first] = np.arange(len(self))
        return position[self._first_of_column]

    @cached_property
    def sizes(self) -> Integers:
        """The number of columns of every unit."""
        return np.bincount(self.of_column, minlength=len(self))

    @cached_property
    def _first_of_column(self) -> Integers:
        """The first column of the unit of every column, of shape (D,)."""
        first = np.arange(self.n_features)
        for group in self.groups:
            first[list(group)] = group[0]
        return first

    @cached_property
    def _group_by_first(self) -> dict[int, Columns]:
        return {group[0]: group for group in self.groups}

    def __len__(self) -> int:
        return self.n_features + len(self.groups) - sum(map(len, self.groups))

    @overload
    def __getitem__(self, unit: int) -> Columns: ...

    @overload
    def __getitem__(self, unit: slice) -> list[Columns]: ...

    def __getitem__(self, unit: int | slice) -> Columns | list[Columns]:
        if isinstance(unit, slice):
            return [self[each] for each in range(len(self))[unit]]
        first = int(self.first[unit])
        return self._group_by_first.get(first, (first,))

    def columns(self, units: Any) -> Integers:
        """Return the columns of these units, one unit after the other."""
        if not self.groups:
            return np.array(units, dtype=np.int64)
        return np.array([column for unit in units for column in self[unit]], dtype=np.int64)

    def slots(self, units: Any, width: int) -> Integers:
        """Return the columns of these units, padded with D. Shape: -> (units, width).

        >>> Units(4, groups=((0, 2),)).slots([0, 1], width=2)
        array([[0, 2],
               [1, 4]])
        """
        units = np.asarray(units, dtype=np.int64)
        padded = np.full((len(units), width), self.n_features)
        padded[:, 0] = self.first[units]
        for place in np.flatnonzero(self.sizes[units] > 1):
            columns = self[units[place]]
            padded[place, : len(columns)] = columns
        return padded

    def split(self, features: Integers) -> list[Integers]:
        """Divide the columns of a selection into those of each of its units.

        >>> Units(4, groups=((0, 2),)).split(np.array([3, 0, 2]))
        [array([3]), array([0, 2])]
        """
        parts, start = [], 0
        while start < len(features):
            end = start + int(self.sizes[self.of_column[features[start]]])
            parts.append(features[start:end])
            start = end
        return parts

    def largest(self, values: Values) -> Values:
        """Return the largest value of the columns of every unit. Shape: (D,) -> (units,).

        >>> Units(3, groups=((0, 2),)).largest(np.array([3.0, 4.0, 5.0]))
        array([5., 4.])
        """
        if not self.groups:
            return values
        largest = np.full(len(self), -np.inf, dtype=values.dtype)
        np.maximum.at(largest, self.of_column, values)
        return largest
