"""The content of the columns seen in ``fit``, and their encoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from ipcae.errors import InputError, warn
from ipcae.tables.encodings.cells import (
    Cells,
    cells_of,
    cells_of_objects,
    numbers_in_texts,
    times_in_texts,
)
from ipcae.tables.encodings.coding import UNKNOWN, ColumnCoding
from ipcae.tables.encodings.dates import days_of_texts
from ipcae.tables.frames import is_frame, labels_of, plain_numbers
from ipcae.tables.tensors import count_rows
from ipcae.text import count, listed


@dataclass(frozen=True, eq=False)
class Encoding:
    """What the D columns of a table contain, and how they become rows of numbers.

    A table is *coded* with one number per column: the number of the level for a category, NaN for
    a missing value. An :class:`Expansion` turns coded rows into the inputs of a network.

    Attributes
    ----------
    names : tuple of str
    codings : tuple of ColumnCoding
        What every column contains.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"age": [31, None, 54], "sex": ["f", "m", "f"]})
    >>> encoding = Encoding.of(rows, impute=True)
    >>> encoding.code(rows)
    tensor([[31.,  0.],
            [nan,  1.],
            [54.,  0.]], dtype=torch.float64)
    """

    names: tuple[str, ...]
    codings: tuple[ColumnCoding, ...]

    @classmethod
    def of(cls, X: Any, *, dates: str = "ignore", impute: bool = False) -> Encoding:
        """Describe the columns of a data frame."""
        columns = zip(labels_of(X), cells_of_table(X), strict=True)
        names, codings = zip(
            *(
                (str(name), ColumnCoding.of(cells, dates=dates, impute=impute))
                for name, cells in columns
            ),
            strict=True,
        )
        return cls(names, codings)

    @classmethod
    def of_numbers(cls, names: Sequence[str], n_missing: Sequence[int], n_rows: int) -> Encoding:
        """Describe columns of numbers, given how many values of each are missing."""
        empty = ColumnCoding("empty", note="every value is missing", n_missing=n_rows)
        codings = (empty if n == n_rows else ColumnCoding("number", n_missing=n) for n in n_missing)
        return cls(tuple(names), tuple(codings))

    @property
    def numeric(self) -> bool:
        """Whether all columns that are used are numbers."""
        kinds = {coding.kind for coding in self.codings if coding.used}
        return kinds <= {"number", "boolean", "constant"} and not self.has_levels

    @property
    def left_out(self) -> list[int]:
        """The columns that cannot be selected."""
        return [column for column, coding in enumerate(self.codings) if not coding.used]

    @property
    def has_levels(self) -> bool:
        """Whether any column has levels."""
        return any(coding.levels for coding in self.codings)

    def code(self, X: Any, columns: Sequence[int] | None = None, name: str = "X") -> Tensor:
        """Return coded rows; warn of levels that were not seen in fit.

        ``columns`` are the columns that X has, by default all. Shape: -> (N, columns), float64.
        """
        which = range(len(self.codings)) if columns is None else columns
        given = cells_of_table(X)
        coded = np.zeros((count_rows(X), len(which)))
        unknown = []
        for place, (column, cells) in enumerate(zip(which, given, strict=True)):
            coding = self.codings[column]
            coded[:, place] = self._coded(column, cells, name)
            if coding.levels and (coded[:, place] == UNKNOWN).any():
                values = dict.fromkeys(cells.values[coded[:, place] == UNKNOWN].tolist())
                texts = listed([f'"{value}"' for value in values], 3)
                unknown.append(f"{self.names[column]}: {texts}")
                if not coding.has_indicators:
                    coded[coded[:, place] == UNKNOWN, place] = (len(coding.levels) - 1) / 2
        if unknown:
            warn(
                f"{name} has levels that were not seen in fit ({'; '.join(unknown[:5])}): they are "
                "treated as unknown."
            )
        return torch.from_numpy(coded)

    def _coded(self, column: int, cells: Cells, name: str) -> Any:
        coding = self.codings[column]
        number = coding.used and not coding.levels
        if number and cells.storage == "text":
            # A few rows may have nothing but limits, such as "<0.5".
            cells = numbers_in_texts(cells.values) or times_in_texts(cells.values) or cells
        if number and cells.unit and cells.unit != coding.unit:
            expected = f'"{coding.unit}"' if coding.unit else "numbers without a unit"
            raise InputError(
                f'column "{self.names[column]}" of {name} is in "{cells.unit}": expected '
                f"{expected}, as in fit."
            )
        if number and (cells.is_text or cells.values.dtype == object):
            if coding.kind == "date as number" and days_of_texts(cells.values) is not None:
                return coding.encode(cells)
            if cells.missing().all():
                return np.full(len(cells.values), np.nan)
            raise self._text_instead_of_numbers(column, cells, name)
        return coding.encode(cells)

    def _text_instead_of_numbers(self, column: int, cells: Cells, name: str) -> InputError:
        given = [value for value in cells.values if value is not None]
        texts = [
            value
            for value in given
            if not isinstance(value, str) or numbers_in_texts(np.array([value], object)) is None
        ] or given
        return InputError(
            f'column "{self.names[column]}" of {name} contains text (such as "{texts[0]}", in '
            f"{len(texts):,} of {count(len(cells.values), 'row')}): expected numbers, as in fit. "
            "Correct these cells; if it is a category whose levels look like numbers, convert it "
            'before fit: astype("category").'
        )

    def label(self, coded: Tensor) -> Any:
        """Return coded rows with the texts of the levels. Shape: (N, D) -> (N, D), objects."""
        table = coded.numpy().astype(object)
        for column, coding in enumerate(self.codings):
            if coding.levels:
                levels = np.array([*coding.levels, None], dtype=object)
                nearest = coded[:, column].round().clamp(0, len(coding.levels) - 1)
                table[:, column] = levels[nearest.nan_to_num(-1).long().numpy()]
        return table


def cells_of_table(X: Any) -> list[Cells]:
    """Return the cells of every column of a data frame or of an array."""
    numbers = plain_numbers(X)
    if numbers is not None:
        X = numbers
    elif is_frame(X):
        if hasattr(X, "iloc"):
            return [cells_of(X.iloc[:, column]) for column in range(X.shape[1])]
        return [cells_of(column) for column in X.get_columns()]
    if isinstance(X, Tensor):
        X = X.detach().cpu().to_dense().numpy()
    array = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if array.dtype.kind in "biuf":
        return [Cells("number", column) for column in array.T.astype(np.float64)]
    return [cells_of_objects(column) for column in array.T.astype(object)]
