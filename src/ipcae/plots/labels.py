"""Labels of features in figures."""

from __future__ import annotations

from ipcae.text import printable, shortened


def label(name: str, most: int = 32) -> str:
    r"""Return a name as a label, shortened in the middle if it is long.

    Dollar signs are escaped, because Matplotlib interprets text between them as math.

    >>> print(label("spend_$_per_$_earned"))
    spend_\$_per_\$_earned
    >>> label("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    return shortened(printable(name), most).replace("$", r"\$")
