"""Text of others, shown so that it changes nothing but itself."""

from __future__ import annotations

import re

# Control characters, line separators, halves of characters, and what turns the direction of text.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with control and direction characters escaped, but those in ``keep``.

    A name cannot then begin a line of its own, color the terminal, or make a line read backwards.

    >>> print(printable("a\nb\x1b[31mred\u202egpj.exe"))
    a\nb\x1b[31mred\u202egpj.exe
    """
    return _HIDDEN.sub(lambda found: _escaped(found.group(), keep), text)


def _escaped(character: str, keep: str) -> str:
    if character in keep:
        return character
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
