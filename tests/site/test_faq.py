"""The FAQ has every class of errors and every warning, in the words of the code."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
TREES = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "src").rglob("*.py")]


def rows_after(title):
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.split(" | ")[0].strip("| ") for line in section.splitlines() if "| " in line]
    return [row for row in rows if not row.startswith(("the warning says", "class", "-"))]


def text_of(node):
    """Return the literal parts of a string, with … in place of the others."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(each) for each in node.values)
    return "…"


def warnings_in_code():
    for tree in TREES:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                text = text_of(node.args[0])
                if name == "warn" and not text.startswith("…:") and " " in text:
                    yield text


def is_said_in(row, text):
    """Return whether a row, or one of its alternatives, is part of a text."""
    return any(
        re.search(".*".join(map(re.escape, part.split("…"))).replace(r"\ .*\ ", ".*"), text)
        for part in row.split(", ")
    )


def test_every_warning_has_a_row():
    rows = rows_after("Warnings")
    found = list(warnings_in_code())
    assert len(found) > 20
    missing = [text for text in found if not any(is_said_in(row, text) for row in rows)]
    assert missing == []


def test_every_class_of_errors_has_a_row():
    classes = {
        node.name
        for tree in TREES
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Error") for base in node.bases)
    }
    named = {name for row in rows_after("Errors") for name in re.findall(r"`(\w+)`", row)}
    assert classes <= named
    assert "InputError" in classes
