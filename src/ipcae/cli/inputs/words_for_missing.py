"""Words in columns of numbers, such as "not done", that may stand for missing values."""

from __future__ import annotations

from collections import defaultdict
from shlex import quote

import pandas as pd

from ipcae.cli.messages import Messages
from ipcae.quantities import is_number
from ipcae.text import listed

_MOST_WORDS = 2


def words_among_numbers(texts: pd.DataFrame) -> dict[str, list[str]]:
    """Return words, and the columns of which the other values are numbers.

    >>> texts = pd.DataFrame({"crp": ["1.5", "n.d.", "0.7", "3"], "name": ["a", "b", "c", "7"]})
    >>> words_among_numbers(texts)
    {'n.d.': ['crp']}
    """
    found = defaultdict(list)
    for name, column in texts.items():
        values = {str(value).strip() for value in column.dropna().unique()}
        words = sorted(
            value
            for value in values
            if not (is_number(value.replace(",", ".")) or value.startswith(tuple("<>≤≥")))
        )
        if len(words) <= _MOST_WORDS < len(values) - len(words):
            for word in words:
                found[word].append(str(name))
    return dict(found)


def warn_of_words(texts: pd.DataFrame, messages: Messages) -> None:
    """Warn of words because of which columns of numbers are left out."""
    found = words_among_numbers(texts)
    if found:
        words = [f'"{word}" in {listed(columns, 3)}' for word, columns in found.items()]
        given = " ".join(f"--missing-value {quote(word)}" for word in list(found)[:3])
        messages.warn(
            f"columns of numbers are left out because of words ({listed(words)}): if they stand "
            f"for missing values, use {given} --missing impute."
        )
