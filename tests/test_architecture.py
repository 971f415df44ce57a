"""ARCHITECTURE.md names every part of the package, and nothing that does not exist."""

import importlib
import re
from pathlib import Path

import pytest

import ipcae

SOURCE = Path(ipcae.__file__).parent
PAGE = Path(__file__).parents[1].joinpath("ARCHITECTURE.md").read_text(encoding="utf-8")
LAYERS = re.search(r"^## Layers\n.*?^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[1]


def test_every_package_and_module_has_a_layer():
    paths = [*SOURCE.glob("[a-z]*.py"), *(path.parent for path in SOURCE.glob("*/__init__.py"))]
    assert {path.stem for path in paths} <= set(re.findall(r"\w+", LAYERS))


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+\w+\.py)`", PAGE))))
def test_every_path_exists(path):
    assert (SOURCE / path).is_file() or (SOURCE.parents[1] / path).is_file()


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`((?:estimators|selectors|training)(?:\.\w+)+)`", PAGE)))
)
def test_every_name_exists(name):
    module = importlib.import_module(f"ipcae.{name.partition('.')[0]}")
    for part in name.split(".")[1:]:
        try:
            module = getattr(module, part)
        except AttributeError:
            module = importlib.import_module(f"{module.__name__}.{part}")


MAPS = [
    path for path in SOURCE.rglob("__init__.py") if "In reading order" in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.parent.name)
def test_a_map_of_a_package_names_all_of_its_modules(path):
    named = set(re.findall(r"``(\w+)``", path.read_text(encoding="utf-8")))
    assert {module.stem for module in path.parent.glob("[a-z]*.py")} <= named
