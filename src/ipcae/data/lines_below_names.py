"""Lines between the column names and the values, such as units or the texts of questions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ipcae.quantities import MISSING_WORDS, is_number

if TYPE_CHECKING:
    import pandas as pd

_MOST_LINES, _MOST_ROWS = 3, 1000
_FEWEST_COLUMNS, _FEWEST_ROWS = 2, 5
_CHANCE = 1e-4
"""The texts of a row of values occur only there at most with this probability."""


def lines_below_names(table: pd.DataFrame) -> list[list[str]]:
    """Return the texts of the first rows if they are no values.

    Such rows have texts where all others have numbers, and texts that no other row has where these
    have a few levels.

    >>> import pandas as pd
    >>> values = {"T": [*map(str, range(40))], "p": ["1", "2"] * 20, "who": ["Ann", "Bob"] * 20}
    >>> units = pd.DataFrame([{"T": "°C", "p": "bar"}])
    >>> lines_below_names(pd.concat([units, pd.DataFrame(values)]))
    [['°C', 'bar']]
    >>> lines_below_names(pd.DataFrame(values))
    []
    """
    numbers = table.select_dtypes(include=["number", "bool"])
    texts = table.select_dtypes(include=["object", "string"]).head(_MOST_ROWS)
    found: list[list[str]] = []
    for row in range(min(_MOST_LINES, len(table))):
        line = [] if numbers.iloc[row].notna().any() else _texts_of_no_value(texts, row)
        if not line:
            break
        found.append(line)
    return found


def _texts_of_no_value(table: pd.DataFrame, row: int) -> list[str]:
    """Return the texts of a row, none if it may be one of values."""
    texts, by_chance = [], 1.0
    for name in table:
        column = table[name]
        text, below = _known([column.iloc[row]]), _known(column.iloc[_MOST_LINES:])
        another = _chance_of_another(below)
        if not text or another is None:
            continue
        if _is_number(text[0]) or text[0] in below:
            return []
        texts += text
        by_chance *= another
    return texts if len(texts) >= _FEWEST_COLUMNS and by_chance <= _CHANCE else []


def _known(cells: Any) -> list[str]:
    """Return the texts that do not stand for missing values."""
    texts = (cell.strip() if isinstance(cell, str) else "" for cell in cells)
    return [text for text in texts if text.lower() not in MISSING_WORDS]


def _is_number(text: str) -> bool:
    return is_number(text.lstrip("<>≤≥ ").replace(",", "."))


def _chance_of_another(values: list[str]) -> float | None:
    """Return how likely one more row has a new text, or None if most texts differ.

    A text is even less likely than a new number where all others are numbers.

    >>> _chance_of_another(["1", "2.5", "3", "4", "5", "7"])
    0.015625
    >>> _chance_of_another(["yes", "no", "no", "yes", "yes", "perhaps"])
    0.25
    >>> _chance_of_another(["Ann", "Bob", "Eve", "Kim", "Lou"])
    """
    if len(values) < _FEWEST_ROWS:
        return None
    if all(map(_is_number, values)):
        return (len(values) + 2) ** -2.0
    single = sum(times == 1 for times in Counter(values).values())
    return (single + 1) / (len(values) + 2) if single < len(values) / 4 else None
