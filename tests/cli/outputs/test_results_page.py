"""The page about the results lists the files, and its code reads the names."""

import re
from pathlib import Path

from ipcae.cli.names import as_line
from ipcae.cli.outputs.results import RESULT_FILES, STABILITY

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "results.md").read_text(encoding="utf-8")


def test_the_page_lists_all_files():
    listed = {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.M) for name in row.split(", ")}
    assert {name.strip("`") for name in listed} == {*RESULT_FILES, STABILITY}


def test_the_code_of_the_page_reads_every_name(tmp_path, monkeypatch):
    names = ["plain", "two\nlines", '"quoted"', "back\\slash"]
    (tmp_path / "panel").mkdir()
    lines = "".join(f"{as_line(name)}\n" for name in names)
    (tmp_path / "panel" / "selected.txt").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    found = {}
    exec("\n".join(line[2:] for line in code.splitlines()), found)
    assert found["names"] == names
