"""Check the sizes of modules."""

from __future__ import annotations

from numbers import Integral

from ipcae.errors import invalid_argument


def require_count(name: str, value: object, or_else: str = "") -> None:
    """Raise an error unless an argument is a positive integer; ``or_else`` names alternatives.

    >>> require_count("n_selected", 2.5)
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: n_selected=2.5 is not understood: expected a positive integer.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise invalid_argument(name, value, f"a positive integer{or_else}")
