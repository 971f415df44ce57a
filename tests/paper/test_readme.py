"""The page matches the committed results."""

import re

from paper.clock import timings
from paper.differences import differences
from paper.readme import FOLDER, text
from paper.results import Results
from paper.store import RESULTS, Store

README = FOLDER / "README.md"


def test_the_page_is_up_to_date():
    store = Store()
    expected = text(Results(store.rows(), store.curves()), timings(store.folder))
    assert README.read_text(encoding="utf-8") == expected, "run: python -m paper readme"


def test_the_figures_of_the_page_are_there():
    for path in re.findall(r"\]\((figures/[^)]+)\)", README.read_text(encoding="utf-8")):
        assert (FOLDER / path).stat().st_size > 0


def test_differences_are_found_whole():
    found = differences()
    sentence = next(text for name, text in found if name == "src/ipcae/selectors/__init__.py")
    assert sentence.startswith('"ip-cae" has P')
    assert sentence.endswith("as in ``paper_settings``.")


def test_the_results_are_compact():
    assert sum(path.stat().st_size for path in RESULTS.rglob("*.csv")) < 1.5e6
