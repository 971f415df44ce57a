"""Formatting of numbers, names and lists."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

# Control characters, line separators, surrogates, and characters that change the text direction.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_MAX_COMPARED = 20_000  # a comparison with a million names would take minutes
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def listed(labels: Sequence[str], most: int = 5) -> str:
    """Join the first few labels into one line.

    >>> listed(list("abcdefg"))
    'a, b, c, d, e, … 2 more'
    """
    shown = ", ".join(printable(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown}, … {len(labels) - most} more"


def shortened(name: str, most: int = 28) -> str:
    """Shorten a long name in the middle.

    >>> shortened("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaa…bbbbbbbbbbbbb'
    """
    if len(name) <= most:
        return name
    half = most // 2
    return f"{name[:half]}…{name[-(most - half - 1) :]}"


def similar_name(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar of the names, ignoring case, for the hint of an error message.

    >>> similar_name("Lable", ["size", "label"]), similar_name("x", ["size", "label"])
    ('label', None)
    """
    lower = {other.lower(): other for other in islice(names, _MAX_COMPARED)}
    near = get_close_matches(name.lower(), lower, n=1)
    return lower[near[0]] if near else None


def count(n: int, noun: str) -> str:
    """Format a count with its noun.

    >>> count(1, "row"), count(1797, "row")
    ('1 row', '1,797 rows')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def duration(seconds: float) -> str:
    """Format a duration.

    >>> duration(7.31), duration(150), duration(7500)
    ('7.3 s', '2 min 30 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def byte_size(n_bytes: int) -> str:
    """Format a number of bytes.

    >>> byte_size(500_000), byte_size(123_456_789), byte_size(4 * 10**11)
    ('0.5 MB', '123 MB', '400 GB')
    """
    unit, size = ("GB", 1e9) if n_bytes >= 1e9 else ("MB", 1e6)
    return f"{n_bytes / size:.3g} {unit}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    r"""Format a number with ``digits`` significant digits.

    >>> [number(v) for v in (0.123456, -2.5, 1234.5, 1e-5, 2e-7, float("nan"))]
    ['0.123', '−2.5', '1,234', '10⁻⁵', '2\u202f×\u202f10⁻⁷', '–']
    """
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size >= 10**digits:
        text = f"{value:,.0f}" if size < 1e9 else f"{value:.{digits - 1}e}"
    elif 0 < size < 1e-3:
        text = f"{value:.{digits - 1}g}"
    else:
        text = f"{value:.{digits}g}"
    mantissa, e, exponent = text.partition("e")
    if e:
        power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
        text = power if mantissa == "1" else f"{mantissa}\u202f×\u202f{power}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def fixed(value: float, decimals: int) -> str:
    """Format a number with ``decimals`` decimals, for a column of numbers.

    >>> fixed(-0.5, 2), fixed(1921, 0), fixed(float("nan"), 2)
    ('−0.50', '1,921', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{decimals}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def with_error(value: float, error: float, decimals: int) -> str:
    r"""Format a number and its error, which a line break does not separate from its sign.

    >>> with_error(123.5, 56.7, 0), with_error(0.5, float("nan"), 2)
    ('124 ±\xa057', '0.50 ±\xa0–')
    """
    return f"{fixed(value, decimals)} ±\u00a0{fixed(error, decimals)}"


def decimals_for(values: Iterable[float]) -> int:
    """Return the number of decimals for which the largest value has three digits.

    >>> decimals_for([0.5, 0.021]), decimals_for([123.0])
    (3, 0)
    """
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 8) if largest > 0 else 2


def percent(fraction: float, *, column: bool = False) -> str:
    r"""Format a fraction as a percentage, with a non-breaking space.

    In a column, all values have one decimal.

    >>> percent(0.9444), percent(1.0), percent(1.0, column=True)
    ('94.4\xa0%', '100\xa0%', '100.0\xa0%')
    """
    if not math.isfinite(fraction):
        return "–"
    text = fixed(100 * fraction, 1)
    return f"{text if column else text.removesuffix('.0')}\u00a0%"


def printable(text: str, keep: str = "") -> str:
    r"""Escape control characters and direction marks, except for those in ``keep``.

    This prevents names from starting new lines, coloring the terminal or reversing text.

    >>> print(printable("a\nb\x1b[31mred\u202egpj.exe"))
    a\nb\x1b[31mred\u202egpj.exe
    """
    return _HIDDEN.sub(lambda found: _escaped(found.group(), keep), text)


def _escaped(character: str, keep: str) -> str:
    if character in keep:
        return character
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def advice_on(shape: Sequence[int]) -> str:
    """Return what to do with an array of this shape, which is no table."""
    if len(shape) != 3:
        return ""
    return " For cases × channels × time, use ipcae.ChannelSelector in Python."
