"""The values of one data frame column of any type."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats
from ipcae.quantities import MISSING_WORDS, quantities_in, split_limits
from ipcae.tables.encodings.clock_times import UNIT, days_of_times
from ipcae.tables.encodings.dates import MICROSECONDS_PER_DAY, days, days_of_objects


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column.

    Attributes
    ----------
    storage : str
        "number", "boolean", "date", "category", "text", or what else the cells contain, such as
        "lists".
    values : array of shape (N,)
        Numbers, with NaN for missing values: booleans as 0 and 1, dates as days since 1970. For
        categories and text, strings, with None for missing values.
    order : tuple of str
        The levels of an ordered category, in their order.
    unit : str
        The unit of numbers that were written as text, such as "EUR".
    n_limits : int
        How many numbers are detection limits, such as 0.5 for "<0.5".
    """

    storage: str
    values: NDArray[Any]
    order: tuple[str, ...] = ()
    unit: str = ""
    n_limits: int = 0

    @property
    def is_text(self) -> bool:
        """Whether the values are strings."""
        return self.storage in ("category", "text")

    def missing(self) -> Booleans:
        """Return which values are missing."""
        if self.values.dtype == object:
            return np.array([is_missing(value) for value in self.values], dtype=bool)
        return np.isnan(self.values)


def cells_of(column: Any) -> Cells:
    """Return the cells of a pandas or polars column.

    >>> import pandas as pd
    >>> cells_of(pd.Series(["yes", None, " no "])).values
    array(['yes', None, 'no'], dtype=object)
    >>> cells_of(pd.Series(["1.5", "?", "2"]))
    Cells(storage='number', values=array([1.5, nan, 2. ]), order=(), unit='', n_limits=0)
    >>> cells_of(pd.Series(["8,919 EUR", "950 EUR"]))
    Cells(storage='number', values=array([8919.,  950.]), order=(), unit='EUR', n_limits=0)
    >>> cells_of(pd.Series(["<0.5", "0.7", "1", "2.5"]))
    Cells(storage='number', values=array([0.5, 0.7, 1. , 2.5]), order=(), unit='', n_limits=1)
    >>> cells_of(pd.Series([True, None], dtype="boolean"))
    Cells(storage='boolean', values=array([ 1., nan]), order=(), unit='', n_limits=0)
    """
    of_polars = type(column).__module__.startswith("polars")
    return _cells_of_polars(column) if of_polars else _cells_of_pandas(column)


def _cells_of_pandas(column: Any) -> Cells:
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    if str(dtype) == "category":
        order = tuple(_texts(dtype.categories.astype(object))) if dtype.ordered else ()
        return Cells("category", _texts(column.astype(object)), order)
    if kind in "iufb":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Cells("boolean" if kind == "b" else "number", values)
    if kind == "M":
        naive = column.dt.tz_convert(None) if getattr(column.dt, "tz", None) else column
        return Cells("date", days(naive.to_numpy(dtype="datetime64[us]")))
    if kind == "m":
        return Cells("number", days(column.to_numpy(dtype="timedelta64[us]")), unit=UNIT)
    return cells_of_objects(column.to_numpy(dtype=object))


def _cells_of_polars(column: Any) -> Cells:
    import polars

    dtype = column.dtype
    if dtype.is_numeric() or dtype in (polars.Boolean, polars.Null):
        values = column.cast(polars.Float64).to_numpy().astype(np.float64)
        return Cells("boolean" if dtype == polars.Boolean else "number", values)
    if dtype in (polars.Date, polars.Datetime, polars.Duration):
        wide = column.cast(polars.Duration("us") if dtype == polars.Duration else polars.Datetime)
        counted = wide.to_physical().cast(polars.Float64).to_numpy() / MICROSECONDS_PER_DAY
        if dtype == polars.Duration:
            return Cells("number", counted, unit=UNIT)
        return Cells("date", counted)
    if dtype in (polars.Categorical, polars.Enum):
        return Cells("category", _texts(column.cast(polars.String).to_list()))
    return cells_of_objects(object_array(column.to_list()))


def cells_of_objects(values: NDArray[Any]) -> Cells:
    """Return the cells of Python objects: numbers, dates, text, or something else."""
    present = [value for value in values if not is_missing(value)]
    kinds = {type(value) for value in present}
    if all(issubclass(kind, bool | np.bool_) for kind in kinds) and kinds:
        return Cells("boolean", _floats(values))
    if all(issubclass(kind, numbers.Real | decimal.Decimal) for kind in kinds):
        return Cells("number", _floats(values))
    if all(issubclass(kind, datetime.date) for kind in kinds):
        return Cells(
            "date", days_of_objects([None if is_missing(value) else value for value in values])
        )
    for nested, name in NESTED.items():
        if any(issubclass(kind, nested) for kind in kinds):
            return Cells(name, values)
    texts = _texts(values)
    read = numbers_in_texts(texts)
    if read is None or (read.n_limits and _n_plain(texts) < _FEWEST_PLAIN):
        return Cells("text", texts)
    return read


def numbers_in_texts(texts: NDArray[Any]) -> Cells | None:
    """Return texts that are numbers, perhaps with a unit or a sign such as "<", or None.

    A number below or above a detection limit is read as the limit.
    """
    signs, bare = split_limits(texts)
    found = _numbers_in(bare)
    read = quantities_in(bare) if found is None else (found, "")
    if read is None:
        return None
    return Cells("number", read[0], unit=read[1], n_limits=len(signs) - signs.count(""))


def times_in_texts(texts: NDArray[Any]) -> Cells | None:
    """Return texts that are times of day or durations, or None."""
    found = days_of_times(texts)
    return None if found is None else Cells("number", found, unit=UNIT)


# Texts such as "<18", "18" and ">65" are groups, not measurements.
_FEWEST_PLAIN = 3


def _n_plain(texts: NDArray[Any]) -> int:
    """Return how many different texts are not limits."""
    signs, bare = split_limits(texts)
    plain = (text for sign, text in zip(signs, bare, strict=True) if text is not None and not sign)
    return len({text for text in plain if text.lower() not in MISSING_WORDS})


NESTED: dict[type, str] = {
    np.ndarray: "lists",
    list: "lists",
    tuple: "lists",
    dict: "records",
    bytes: "binary data",
    complex: "complex numbers",
}


def _numbers_in(texts: Sequence[str | None]) -> Floats | None:
    """Return texts as numbers, or None if there are others than numbers and missing values."""
    found = np.full(len(texts), np.nan)
    n_numbers = 0
    for row, text in enumerate(texts):
        if text is None or text.lower() in MISSING_WORDS:
            continue
        try:
            found[row] = float(text)
        except ValueError:
            return None
        n_numbers += 1
    return found if n_numbers else None


def _texts(values: Any) -> NDArray[Any]:
    return object_array([None if is_missing(value) else _text(value) for value in values])


def _text(value: Any) -> str | None:
    """Return a value as text; 1.0 and 1 are the same level."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return str(value).strip() or None


def _floats(values: NDArray[Any]) -> Floats:
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, pandas.NA or pandas.NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def object_array(items: list[Any]) -> NDArray[Any]:
    """Return an array of objects, which may be sequences."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
