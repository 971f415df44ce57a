"""A progress bar below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

_REFRESH_SECONDS = 0.2
_WIDTH = 16
_STYLE = "font-family: monospace; font-size: 0.9em; white-space: pre-wrap"


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, such as Jupyter's.

    >>> in_notebook()
    False
    """
    if "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


class NotebookBar:
    """One output of a cell that is updated; every phase has its own line."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}
        self._output: Any = None
        self._next_draw = 0.0

    def draw(self, title: str, done: int, total: int, details: str, *, last: bool = False) -> None:
        """Draw the bar, at most every fifth of a second."""
        now = time.perf_counter()
        if now < self._next_draw and not last and title in self._lines:
            return
        self._next_draw = now + _REFRESH_SECONDS
        self._lines[title] = bar_html(title, done, total, details)
        self._update()

    def begin(self, title: str) -> None:
        """Draw an empty bar for work without epochs."""
        self.draw(title, 0, 1, "…")

    def end(self, title: str, result: str) -> None:
        """Fill the bar of this work."""
        self._lines[title] = bar_html(title, 1, 1, result)
        self._update()

    def erase(self) -> None:
        """Remove all lines."""
        self._lines = {}
        if self._output is not None:
            self._update()

    def _update(self) -> None:
        from IPython.display import HTML, display

        page = HTML("".join(self._lines.values()))
        if self._output is None:
            self._output = display(page, display_id=True)
        else:
            self._output.update(page)


def bar_html(title: str, done: int, total: int, details: str) -> str:
    """Return a line with a title, a bar and details.

    >>> bar_html("selecting", 5, 20, "loss < 0.1").count("&lt;")
    1
    """
    filled = _WIDTH * min(done / total, 1.0)
    bar = (
        f'<span style="display: inline-block; width: {_WIDTH}em; background: #8884">'
        f'<span style="display: block; width: {filled:.2f}em; height: 0.7em; background: #1f77b4">'
        "</span></span>"
    )
    return f'<div style="{_STYLE}">{escape(title):<11} {bar}  {escape(details)}</div>'
