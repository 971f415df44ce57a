"""Small pieces of HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

from ipcae.text import printable


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
