"""Links of "See Also" sections, whose names are relative to the package."""

from __future__ import annotations

import re
from typing import Any

SECTION = re.compile(r"(?<=See Also\n--------\n)(?:\S.*\n?|\s+\S.*\n?)*")
NAME = re.compile(r"^(?:ipcae\.)?([\w.]+)(?= : )", re.MULTILINE)


def with_links(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Name what a section refers to in full, so that it is found from any page."""
    if name.startswith("ipcae"):
        text = SECTION.sub(
            lambda found: NAME.sub(r":obj:`~ipcae.\1`", found.group()), "\n".join(lines)
        )
        lines[:] = text.split("\n")


def setup(app: Any) -> dict[str, bool]:
    """Connect :func:`with_links`, before numpydoc reads the sections."""
    app.connect("autodoc-process-docstring", with_links, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
