"""The API reference: every public name has a page, an example and links to related names."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api" / "index.md"
MODULES = ["callbacks", "data", "distributed", "losses", "nn"]
MODULES += ["plots", "report", "sc", "selectors", "sources"]
INTERNAL = """
    __version__ CATALOGUE METHODS PAPER_METHODS WAYS
    ArraySource ChunkedCsrSource ChunkedSource CrossEntropyWithReconstruction CsrSource CustomLoss
    FileSource JointModel Loss MemmapSource Method Observed ParquetSource Processes
    SelectThenDecode Shape StreamedRows Summary
    active choose_within_constraints compares_rows effective_rows is_first may_be_read_in_parts
    mean_loss method_named nearly_independent of_first_process png_bytes row_error row_losses
    row_shares windowed_order
"""  # what the parts of the package share; a user needs none of it


def listed_names():
    module = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [\w.]+", line):
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
        assert find(f"ipcae.{line.split(' : ')[0].removeprefix('ipcae.')}")


@pytest.mark.parametrize("path", list(listed_names()))
def test_parameters_are_described_with_their_defaults(path):
    scraped = pytest.importorskip("numpydoc.docscrape", reason="needs the extra docs")
    named = find(path)
    document = (scraped.ClassDoc if inspect.isclass(named) else scraped.FunctionDoc)(named)
    # What functions return is described by its attributes; the parameters of reports are shared.
    if path == "ipcae.report.report_html" or (
        inspect.isclass(named) and document["Attributes"] and not document["Parameters"]
    ):
        return
    described = {}
    for parameter in document["Parameters"]:
        for name in parameter.name.split(", "):
            described[name.lstrip("*")] = (parameter.type, parameter.desc)
    # Exceptions take a message. The costs of all methods are described by their base class.
    expected = {} if issubclass_of(named, Exception) else dict(inspect.signature(named).parameters)
    if path != "ipcae.selectors.Ranking":
        expected.pop("costs", None)
    assert set(expected) - set(described) == set()
    for name, parameter in expected.items():
        kind, text = described[name]
        assert text, name
        stated = re.search(r"default=(.*)", kind)
        if stated and not re.search(r"[A-Z]\w*\(", stated[1]):
            assert ast.literal_eval(stated[1]) == parameter.default, name
        else:
            unstated = parameter.default in (parameter.empty, None) or "optional" in kind
            assert stated or unstated or parameter.kind is parameter.VAR_KEYWORD, name


def issubclass_of(named, kind):
    return inspect.isclass(named) and issubclass(named, kind)


@pytest.mark.parametrize("module", ["ipcae", *(f"ipcae.{name}" for name in MODULES)])
def test_every_public_name_has_a_page(module):
    pages = [find(path) for path in listed_names()]
    public = set(importlib.import_module(module).__all__) - set(INTERNAL.split())
    assert public
    assert [name for name in public if find(f"{module}.{name}") not in pages] == []
