"""The how-to page about trust runs, and does what the page says."""

import json
from pathlib import Path

from matplotlib import pyplot

from ipcae.cli.app import run
from tests.pages import blocks_of, commands_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "trust.md"


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    text = PAGE.read_text(encoding="utf-8")
    for kind, block in blocks_of(text):
        if kind == "python":
            exec(compile(block, PAGE.name, "exec"), names)
        else:
            for command in commands_of(block):
                assert run(command[1:]) == 0
    pyplot.close("all")
    said = capsys.readouterr().out
    assert said.count("Not better than chance (p = ") == 3  # by the command and twice by the page
    assert names["test"].p_value < 0.001
    assert "No feature is selected at a false discovery rate of 10" in said
    assert {f"x{i}" for i in range(12)} <= set(names["found"].features)
    planted = json.loads((tmp_path / "planted" / "metrics.json").read_text(encoding="utf-8"))
    found = planted["false_discoveries"]["features"]
    assert len(set(found) & {f"sensor_{i}" for i in range(12)}) >= 10
