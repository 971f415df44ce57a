"""Values that stand for missing ones in a file, such as -999 or "don't know"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ipcae.arrays import Floats
from ipcae.quantities import is_number

if TYPE_CHECKING:
    import pandas as pd


class Recoded(NamedTuple):
    """A table in which some values are missing.

    Attributes
    ----------
    table : DataFrame
        The table.
    unknown : list of str
        The values that it does not have.
    kept : dict of str to list of str
        The columns in which a number is kept, by the number.
    """

    table: pd.DataFrame
    unknown: list[str]
    kept: dict[str, list[str]]


def with_missing_values(
    table: pd.DataFrame,
    values: Iterable[str | float],
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Recoded:
    """Return a table in which these values are missing.

    A number is kept in columns with smaller and larger values: 99 is no answer to a question with
    the answers 0 to 3, but it may be a weight. ``ranges`` are the smallest and the largest value
    of columns, if they are known from other rows.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"mood": [3, 99, 0], "weight": [99, 81, 120]})
    >>> recoded = with_missing_values(table, [99, "refused"])
    >>> recoded.table["mood"].tolist(), recoded.unknown, recoded.kept
    ([3.0, nan, 0.0], ['refused'], {'99': ['weight']})
    """
    texts = {str(value).strip(): None for value in values if str(value).strip()}
    codes = {float(text): text for text in texts if is_number(text)}
    found: set[str] = set()
    kept = defaultdict[str, list[str]](list)
    changed: dict[Any, Any] = {}
    for name, column in table.items() if texts else ():
        kind = getattr(column.dtype, "kind", "O")
        if kind in "bmM":
            continue
        if kind in "iuf":
            numbers = column.to_numpy(np.float64, na_value=np.nan)
            matches = np.full(len(column), "", dtype=object)
        else:
            numbers = np.array([_number(cell) for cell in column], dtype=np.float64)
            matches = np.array([_word(cell, texts) for cell in column], dtype=object)
        for code, text in codes.items():
            matches[numbers == code] = text
        missing = matches != ""
        low, high = (ranges or {}).get(str(name)) or _ends(numbers[~missing])
        inside = missing & (low <= numbers) & (numbers <= high)
        for text in sorted(set(matches[inside])):
            kept[text].append(str(name))
        missing &= ~inside
        if missing.any():
            found.update(matches[missing])
            changed[name] = column.mask(missing)
    unknown = [text for text in texts if text not in found and text not in kept]
    return Recoded(table.assign(**changed), unknown, dict(kept))


def _number(cell: Any) -> float:
    """Return a cell as a number, NaN if it is none."""
    if isinstance(cell, str):
        return float(cell) if is_number(cell) else np.nan
    return float(cell) if isinstance(cell, Real) else np.nan


def _word(cell: Any, texts: dict[str, None]) -> str:
    """Return which of the texts a cell is, "" if none."""
    return text if isinstance(cell, str) and (text := cell.strip()) in texts else ""


def _ends(numbers: Floats) -> tuple[float, float]:
    """Return the smallest and the largest of the finite numbers."""
    finite = numbers[np.isfinite(numbers)]
    return float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
