"""docs/how-to/methods.md runs."""

from ipcae.cli.commands.names import METHOD_NAMES
from tests.pages import HOW_TO, run_page


def test_the_blocks_of_the_page_run_in_order(capsys):
    names = run_page(HOW_TO / "methods.md")
    few, more, columns = capsys.readouterr().out.splitlines()[:3]
    assert few == "adaptive because the table has 143 rows; from 300 rows on, it is shortlist"
    assert more == "shortlist because the table has 569 rows"
    assert columns.startswith("['")
    assert names["composed"].get_support().sum() == 5


def test_every_method_is_listed():
    page = (HOW_TO / "methods.md").read_text(encoding="utf-8")
    assert [name for name in METHOD_NAMES if f'`"{name}"`' not in page] == []
