"""benchmarks/README.md lists every script, every file of rows without one, and nothing else."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "benchmarks"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_script_is_listed():
    named = re.findall(r"`(\w+\.py)`", PAGE)
    assert sorted(set(named)) == sorted(path.name for path in FOLDER.glob("*.py"))


def test_every_file_of_rows_without_a_script_is_listed():
    scripts = {path.stem for path in FOLDER.glob("*.py")}
    named = set(re.findall(r"`(\w+)\.csv`", PAGE))
    alone = {path.stem for path in FOLDER.glob("*.csv")} - scripts
    written = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    assert named == {stem for stem in alone if f"{stem}.csv" not in written}


def test_the_pages_and_sections_exist():
    for page, section in re.findall(r"\]\(\.\./([\w/.-]+)#?([\w-]*)\)", PAGE):
        text = (FOLDER.parent / page).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
        assert not section or section in anchors, f"{page}#{section}"
