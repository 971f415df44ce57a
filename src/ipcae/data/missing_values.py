"""Values that stand for missing ones in a file, such as -999 or "don't know"."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.quantities import is_number

if TYPE_CHECKING:
    import pandas as pd


def with_missing_values(
    table: pd.DataFrame, values: Iterable[str | float]
) -> tuple[pd.DataFrame, list[str]]:
    """Return a table in which these values are missing, and those of them that it does not have.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"tsh": [1.5, -999, 2.5], "smoker": ["no", "don't know", "yes"]})
    >>> table, unknown = with_missing_values(table, [-999, "don't know", "refused"])
    >>> int(table.isna().sum().sum()), unknown
    (2, ['refused'])
    """
    texts = {str(value).strip(): None for value in values if str(value).strip()}
    numbers = {float(text): text for text in texts if is_number(text)}
    found: set[str] = set()
    changed: dict[Any, Any] = {}
    for name, column in table.items() if texts else ():
        kind = getattr(column.dtype, "kind", "O")
        if kind in "bmM" or (kind in "iuf" and not column.isin(list(numbers)).any()):
            continue
        matches = [_match(cell, texts, numbers) for cell in column]
        if any(matches):
            found.update(text for text in matches if text)
            changed[name] = column.mask(np.array([bool(text) for text in matches]))
    return table.assign(**changed), [text for text in texts if text not in found]


def _match(cell: Any, texts: dict[str, None], numbers: dict[float, str]) -> str | None:
    """Return which of the values a cell is, or None."""
    if isinstance(cell, str):
        text = cell.strip()
        if text in texts:
            return text
        return numbers.get(float(text)) if is_number(text) else None
    return numbers.get(float(cell)) if isinstance(cell, Real) else None
