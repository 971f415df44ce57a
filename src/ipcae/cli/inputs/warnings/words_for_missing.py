"""Words in columns of numbers, such as "not done", and different units."""

from __future__ import annotations

import re
from collections import defaultdict
from shlex import quote

import pandas as pd

from ipcae.cli.messages import Messages
from ipcae.quantities import MISSING_WORDS, is_number, units_in
from ipcae.tables.encodings.answer_scales import in_order
from ipcae.tables.encodings.encoding import Encoding
from ipcae.text import listed

_MOST_WORDS = 2
_MOST_UNITS = 3
_BELOW_LIMIT = re.compile(
    r"[<≤].*|n\.? ?d\.?|b[dlq]{2}|ll?o[dq]|below.*|not detect.*|undetect.*", re.IGNORECASE
)
_LIMIT_ADVICE = ' If they are values below a detection limit, write the limit, such as "<0.5".'


def _argument(word: str) -> str:
    """Return a word as it is typed in a shell.

    >>> print(_argument("don't know"), _argument("not done"), _argument("NA"))
    "don't know" 'not done' NA
    """
    return f'"{word}"' if re.fullmatch(r"[\w ]*'[\w ']*", word) else quote(word)


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
            if value.lower() not in MISSING_WORDS
            and not is_number(value.lstrip("<>≤≥ ").replace(",", "."))
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
        given = " ".join(f"--missing-value {_argument(word)}" for word in list(found)[:3])
        messages.warn(
            f"columns of numbers are left out because of words ({listed(words)}): if they stand "
            f"for missing values, use {given} --missing impute."
            + (_LIMIT_ADVICE if any(map(_BELOW_LIMIT.fullmatch, found)) else "")
        )


def warn_of_units(texts: pd.DataFrame, messages: Messages) -> None:
    """Warn of columns of numbers that are left out because they have several units."""
    found = []
    for name, column in texts.items():
        units = units_in(None if pd.isna(value) else str(value) for value in column.unique())
        if 1 < len(units) <= _MOST_UNITS:
            named = (f'"{unit}"' if unit else "none" for unit in units)
            found.append(f"{' and '.join(named)} in {name}")
    if found:
        messages.warn(
            f"columns of numbers are left out because of different units ({listed(found)}): "
            "convert them to one unit."
        )


def warn_of_answers(encoding: Encoding, messages: Messages) -> None:
    """Warn of answers such as "don't know" that keep others from being ordered."""
    found = defaultdict(list)
    for name, coding in zip(encoding.names, encoding.codings, strict=True):
        if coding.kind == "category" and (answer := _without_order(coding.levels)) is not None:
            found[answer].append(name)
    if found:
        answers = [f'"{answer}" in {listed(names, 3)}' for answer, names in found.items()]
        given = " ".join(f"--missing-value {_argument(answer)}" for answer in list(found)[:3])
        messages.warn(
            f"answers are used without their order because of others ({listed(answers)}): if these "
            f"stand for missing values, use {given} --missing impute."
        )


def _without_order(levels: tuple[str, ...]) -> str | None:
    """Return the only level that does not belong to a scale of answers, if there is one.

    >>> _without_order(("Agree", "Disagree", "Don't know", "Neutral"))
    "Don't know"
    """
    others = [each for each in levels if in_order([one for one in levels if one != each])]
    return others[0] if len(others) == 1 and in_order(levels) is None else None
