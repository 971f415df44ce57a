"""The how-to page about trust runs, and does what the page says."""

import json

from matplotlib import pyplot

from tests.pages import HOW_TO, run_in_process, run_page


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = run_page(HOW_TO / "trust.md", run_in_process)
    pyplot.close("all")
    said = capsys.readouterr().out
    assert said.count("Not better than chance (p = ") == 3  # by the command and twice by the page
    assert names["test"].p_value < 0.001
    assert "No feature is selected at a false discovery rate of 10" in said
    assert {f"x{i}" for i in range(12)} <= set(names["found"].features)
    planted = json.loads((tmp_path / "planted" / "metrics.json").read_text(encoding="utf-8"))
    found = planted["false_discoveries"]["features"]
    assert len(set(found) & {f"sensor_{i}" for i in range(12)}) >= 10
