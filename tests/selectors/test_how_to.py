"""docs/how-to/methods.md runs."""

from pathlib import Path

from tests.pages import python_blocks

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "methods.md"
BLOCKS = python_blocks(PAGE.read_text(encoding="utf-8"))


def test_the_blocks_of_the_page_run_in_order(capsys):
    names = {}
    for block in BLOCKS:
        exec(compile(block, PAGE.name, "exec"), names)
    few, more, columns = capsys.readouterr().out.splitlines()[:3]
    assert few == "adaptive because the table has 143 rows; shortlist from about 300 rows"
    assert more == "shortlist because the table has 569 rows; ip-cae from about 5,000 rows"
    assert columns.startswith("['")
    assert names["composed"].get_support().sum() == 5
