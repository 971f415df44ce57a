"""Names of features as labels in a figure."""

from __future__ import annotations

from ipcae.text import printable, shortened


def label(name: str, most: int = 32) -> str:
    r"""Return a name that Matplotlib draws as it is written, both ends of it if it is long.

    Matplotlib would read what stands between two dollar signs as mathematics.

    >>> print(label("spend_$_per_$_earned"))
    spend_\$_per_\$_earned
    >>> label("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    return shortened(printable(name), most).replace("$", r"\$")
