"""Text for people and text for browsers: numbers, names and small pieces of HTML."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from ipcae.printable import printable


class Html(str):
    """Text that is HTML already; all other text is escaped before it comes to the page."""

    __slots__ = ()


def escape(value: object) -> Html:
    """Return a value as HTML that shows it literally; control characters as escapes.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    if isinstance(value, Html):
        return value
    return Html(html.escape(printable(str(value)), quote=True))


def safe_json(value: Any) -> Html:
    """Return JSON that can stand inside a script element, whatever strings it holds.

    >>> safe_json("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(text)


def number(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, as people do.

    >>> [number(v) for v in (0.123456, -2.5, 1234.5, 2e-7, float("nan"))]
    ['0.123', '−2.5', '1,234', '2e-07', '–']
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
    return text.replace("-", "−", 1) if text.startswith("-") else text


def fixed(value: float, decimals: int) -> str:
    """Write a number with so many decimals, for a column of numbers.

    >>> fixed(-0.5, 2), fixed(float("nan"), 2)
    ('−0.50', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def decimals_for(values: Iterable[float]) -> int:
    """Return how many decimals give the largest of the values three digits.

    >>> decimals_for([0.5, 0.021]), decimals_for([123.0])
    (3, 0)
    """
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 8) if largest > 0 else 2


def percent(fraction: float) -> str:
    r"""Write a fraction as a percentage that no line break separates from its sign.

    >>> percent(0.9444), percent(1.0)
    ('94.4\xa0%', '100\xa0%')
    """
    if not math.isfinite(fraction):
        return "–"
    return fixed(100 * fraction, 1).removesuffix(".0") + "\u00a0%"


def count(n: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "row"), count(1797, "row")
    ('1 row', '1,797 rows')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def seconds(value: float) -> str:
    """Write a duration.

    >>> seconds(7.31), seconds(150)
    ('7.3 s', '2 min 30 s')
    """
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def short(name: str, most: int = 28) -> str:
    """Keep both ends of a long name.

    >>> short("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaa…bbbbbbbbbbbbb'
    """
    if len(name) <= most:
        return name
    half = most // 2
    return f"{name[:half]}…{name[-(most - half - 1) :]}"


def table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: str, css: str = ""
) -> Html:
    """Return a table whose first column names the rows; it scrolls sideways in a box of its own."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return Html(
        f'<div class="box" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="plain {css}"><caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def paragraph(text: object, css: str = "") -> Html:
    """Return a paragraph."""
    return Html(f'<p class="{css}">{escape(text)}</p>' if css else f"<p>{escape(text)}</p>")


def join(*parts: object) -> Html:
    """Put pieces of HTML after each other."""
    return Html("".join(escape(part) for part in parts))
