"""Names of features as labels in a figure."""

from __future__ import annotations

from ipcae.printable import printable


def label(name: str, most: int = 32) -> str:
    r"""Return a name that Matplotlib draws as it is written, both ends of it if it is long.

    Matplotlib would read what stands between two dollar signs as mathematics.

    >>> print(label("spend_$_per_$_earned"))
    spend_\$_per_\$_earned
    >>> label("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    return _shortened(printable(name), most).replace("$", r"\$")


def _shortened(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    half = most // 2
    return f"{name[:half]}…{name[-(most - half - 1) :]}"
