"""Values of options that consist of several parts, such as ``--grid 28x28``."""

from __future__ import annotations

import re

from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError
from ipcae.grids import Grid


def parse_format(sep: str | None, decimal: str | None, encoding: str | None) -> TextFormat:
    """Parse ``--sep``, ``--decimal`` and ``--encoding``.

    >>> parse_format("--", None, None)
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: --sep '--' is not understood: expected one character, such as ';', \
or 'tab'.
    """
    try:
        return TextFormat.given(sep, decimal, encoding)
    except InputError as error:
        message = re.sub(r"^(sep|decimal|encoding)=", r"--\1 ", str(error))
        raise InputError(re.sub("^sep and decimal", "--sep and --decimal", message)) from error


def parse_limits(text: str | None) -> tuple[float | None, float | None] | None:
    """Parse ``--expression-limits``: a lower and an upper limit, of which one can be left out.

    >>> parse_limits("1:4.5"), parse_limits(":4"), parse_limits(None)
    ((1.0, 4.5), (None, 4.0), None)
    """
    if text is None:
        return None
    low, found, high = text.partition(":")
    try:
        limits = tuple(float(part) if part.strip() else None for part in (low, high))
    except ValueError:
        limits = (None, None)
    given = [limit for limit in limits if limit is not None]
    if not found or not given or any(b <= a for a, b in zip([0.0, *given], given, strict=False)):
        raise InputError(
            f"--expression-limits {text} is not understood: expected a lower and an upper limit, "
            "such as 1:4, or one of them, such as 1: or :4."
        )
    return limits[0], limits[1]


def parse_grid(text: str | None) -> Grid | None:
    """Parse ``--grid``: the rows and columns of an image.

    >>> parse_grid("8x12"), parse_grid(None)
    ((8, 12), None)
    """
    if text is None:
        return None
    sides = text.lower().replace("×", "x").split("x")
    # int() raises another error for numbers of thousands of digits.
    valid = all(side.strip().isdecimal() and len(side) < 10 for side in sides)
    if len(sides) != 2 or not valid:
        raise InputError(
            f"--grid {text} is not understood: expected rows and columns, such as 28x28."
        )
    return int(sides[0]), int(sides[1])
