"""The API reference: every name has an example and links to related names."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api" / "index.md"
SECTIONS = PAGE.read_text(encoding="utf-8").split("## Tables and data sets")[0]


def listed_names():
    module = ""
    for line in SECTIONS.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            yield f"{module}.{line.strip()}"


def find(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("path", list(listed_names()))
def test_a_name_has_an_example_and_links_that_exist(path):
    text = inspect.getdoc(find(path))
    assert ">>> " in text
    related = text.split("See Also\n--------\n")[1].split("\n\n")[0].splitlines()
    for line in related:
        name = line.split(" : ")[0]
        assert find(name if "." in name else f"ipcae.{name}")
