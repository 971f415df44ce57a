"""Docstrings that selectors inherit from scikit-learn, without its links to its own pages."""

from __future__ import annotations

import re
from typing import Any

ROLE = re.compile(r":(?:ref|term|doc):`(?P<text>[^`<]+?)(?:\s*<[^`]*>)?`")


def without_links(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Replace links that lead nowhere on this site by their text."""
    if str(getattr(obj, "__module__", "")).startswith("sklearn."):
        lines[:] = ROLE.sub(r"\g<text>", "\n".join(lines)).split("\n")


def setup(app: Any) -> dict[str, bool]:
    """Connect :func:`without_links`."""
    app.connect("autodoc-process-docstring", without_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
