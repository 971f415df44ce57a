"""Numbers written with a unit, separators or a limit, such as "8,919 EUR", "<0.5" or "3+"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ipcae.arrays import Floats

MISSING_WORDS = frozenset(
    (
        *("", "?", "-", "--", "---", "–", "—", ".", "*", "na", "n/a", "n.a.", "missing"),
        *("nan", "nat", "null", "(null)", "[null]", "\\n", "none"),  # of programs and databases
        *("#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),  # of spreadsheets
    )
)
"""Texts that stand for a missing number, in lower case."""

_CURRENCIES = "[$€£¥₹]|EUR|USD|GBP|CHF|JPY"
# A letter or a symbol, then no digits but those of m2 and of a unit such as mL/min/1.73 m2.
_UNIT = r"(?:[^\W\d_]|[%‰°$€£¥₹\"′″])[^\d,;:<>=]{0,14}?(?:/1[.,]73 ?m)?[23²³]?"
_QUANTITY = re.compile(
    rf"(?P<before>{_CURRENCIES})?\s?(?P<sign>[+−-]?)\s?(?P<again>{_CURRENCIES})?\s?"
    rf"(?P<number>\d[\d.,'’\s]*|[.,]\d+)(?P<exponent>[eE][+-]?\d+)?\s*(?P<after>{_UNIT})?"
)
_DECIMAL_MARKS = {
    ".": re.compile(r"(?:[1-9]\d{0,2}(?:[,'’\s]\d{3})+|\d+)?(?:\.\d*)?"),
    ",": re.compile(r"(?:[1-9]\d{0,2}(?:[.'’\s]\d{3})+|\d+)?(?:,\d*)?"),
}
_BRACKETED = re.compile(r"(\$?)\(([^()+−-]*\d[^()+−-]*)\)")  # a negative number in accounting
_LIMIT = re.compile(r"(?P<sign>[<>]=?|[≤≥])\s*(?P<number>[\d.,+−-].*)")
_OR_MORE = re.compile(r"(\d+)\s*(?:\+|(?:or|and) (?:more|above|over|older))", re.I)


def quantities_in(texts: Iterable[str | None], decimal: str = ".") -> tuple[Floats, str] | None:
    """Return the numbers in texts and their unit, or None if there is other text.

    All texts must have the same unit, or none. Numbers are read with the given decimal mark if all
    of them can be, and with the other one otherwise. Missing values become NaN.

    >>> quantities_in(["8,919 EUR", None, "12,050 EUR"])
    (array([ 8919.,    nan, 12050.]), 'EUR')
    >>> quantities_in(["39,7 %", "8,25 %"])
    (array([39.7 ,  8.25]), '%')
    >>> quantities_in(["9.360", "999"], decimal=",")
    (array([9360.,  999.]), '')
    >>> quantities_in(["(1,250.50)", "980.00"])
    (array([-1250.5,   980. ]), '')
    >>> quantities_in(["5 kg", "7 m"])
    """
    found: list[tuple[str, str, str] | None] = []
    units = set()
    for text in texts:
        if text is None or text.strip().lower() in MISSING_WORDS:
            found.append(None)
            continue
        bracketed = _BRACKETED.fullmatch(text.strip())
        match = _QUANTITY.fullmatch(bracketed.expand(r"-\1\2") if bracketed else text.strip())
        if match is None:
            return None
        before, after = match["before"] or match["again"] or "", (match["after"] or "").strip()
        units.add(before or after)
        if len(units) > 1 or (before and after):
            return None
        sign = "" if match["sign"] in ("", "+") else "-"
        found.append((sign, match["number"].strip(), match["exponent"] or ""))
    if not units:
        return None
    numbers = [parts[1] for parts in found if parts is not None]
    marks = (decimal, "," if decimal == "." else ".")
    mark = next((m for m in marks if all(map(_DECIMAL_MARKS[m].fullmatch, numbers))), None)
    if mark is None:
        return None
    values = [np.nan if parts is None else _value(*parts, mark) for parts in found]
    return np.array(values, dtype=np.float64), units.pop()


def units_in(texts: Iterable[str | None]) -> list[str]:
    """Return the different units of numbers, "" for none, in order of frequency.

    An empty list if there is other text.

    >>> units_in(["67 kg", "148 lb", None, "71.5 kg"]), units_in(["kg", "7 kg"])
    (['kg', 'lb'], [])
    """
    units: Counter[str] = Counter()
    for text in texts:
        if text is None or text.strip().lower() in MISSING_WORDS:
            continue
        match = _QUANTITY.fullmatch(text.strip())
        if match is None:
            return []
        units[match["before"] or match["again"] or (match["after"] or "").strip()] += 1
    return [unit for unit, _ in units.most_common()]


def split_limits(texts: Iterable[str | None]) -> tuple[list[str], list[str | None]]:
    """Return the signs of limits, "" where there is none, and the texts without them.

    >>> split_limits(["<0.5", "1.2", "> 20 mg", None, "<unknown>"])
    (['<', '', '>', '', ''], ['0.5', '1.2', '20 mg', None, '<unknown>'])
    >>> split_limits(["2", "3+", "5 or more"])
    (['', '≥', '≥'], ['2', '3', '5'])
    """
    signs, bare = [], []
    for text in texts:
        found = None if text is None else _LIMIT.fullmatch(text.strip())
        more = None if text is None or found else _OR_MORE.fullmatch(text.strip())
        signs.append(found["sign"] if found else "≥" if more else "")
        bare.append(found["number"] if found else more[1] if more else text)
    return signs, bare


def is_number(text: str) -> bool:
    """Return whether a text is a plain number.

    >>> is_number("-1.5e3"), is_number("1,5")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(sign: str, number: str, exponent: str, mark: str) -> float:
    """Return a number whose decimal mark is known.

    >>> _value("-", "1.234,5", "", ",")
    -1234.5
    """
    digits = "".join(c for c in number if c.isdigit() or c == mark)
    return float(sign + digits.replace(",", ".") + exponent)
