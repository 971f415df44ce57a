"""Pages of the site that are files elsewhere in the repository, and links to such files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = {
    "paper": "paper/README.md",
    "benchmark-scripts": "benchmarks/README.md",
    "architecture": "ARCHITECTURE.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
    "security": "SECURITY.md",
    "index": "README.md",
}
LINK = re.compile(r"\[(?P<text>[^]]*)\]\((?P<path>[\w./-]+)(?P<anchor>#[\w-]*)?\)")


def read(app: Any, name: str, source: list[str]) -> None:
    """Read a page from the repository, and let links lead to pages of the site."""
    file = REPOSITORY / "docs" / f"{name}.md"
    if name in PAGES and name != "index":
        file = REPOSITORY / PAGES[name]
        source[0] = file.read_text(encoding="utf-8")
    if file.exists():
        source[0] = LINK.sub(lambda link: _link(link, file.parent, name), source[0])


def _link(link: re.Match[str], folder: Path, name: str) -> str:
    target = (folder / link["path"]).resolve()
    if not target.is_relative_to(REPOSITORY) or not target.exists():
        return link[0]
    inside = target.relative_to(REPOSITORY).as_posix()
    if target.is_dir():
        return link["text"]
    path = next((f"/{page}.md" for page, file in PAGES.items() if file == inside), None)
    if path is None:
        path = os.path.relpath(target, (REPOSITORY / "docs" / name).parent)
    return f"[{link['text']}]({path}{link['anchor'] or ''})"


def setup(app: Any) -> dict[str, bool]:
    """Connect :func:`read`."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
