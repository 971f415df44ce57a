"""Collect the comments that mark deliberate differences from the paper."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARK = "# NOTE[" + "DIFF]: "
FOLDERS = ("src", "paper", "benchmarks")


def differences(root: Path = ROOT) -> list[tuple[str, str]]:
    """Return the file and the text of every marked comment."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines):
                if MARK in line:
                    name = path.relative_to(root).as_posix()
                    found.append((name, _sentence(lines[number:])))
    return found


def _sentence(lines: list[str]) -> str:
    """Join a comment of several lines."""
    words = [lines[0].split(MARK, 1)[1]]
    for line in lines[1:]:
        text = line.strip()
        if not text.startswith("# ") or MARK in text:
            break
        words.append(text.removeprefix("# "))
    return " ".join(words)
