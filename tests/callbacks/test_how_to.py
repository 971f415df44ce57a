"""The how-to page's code runs, and does what the page says."""

from pathlib import Path

import pytest

from tests.pages import python_blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "callbacks.md"
BLOCKS = python_blocks(PAGE.read_text(encoding="utf-8"))


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch, capsys):
    pytest.importorskip("tensorboard")
    pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")
    monkeypatch.chdir(tmp_path)
    names, said = {}, []
    for block in BLOCKS:
        exec(compile(block, PAGE.name, "exec"), names)
        if "selector.run_status_" in block:
            said = names["selector"].run_status_
    assert said == ["stopped early"] * 2
    assert "selecting 10: " in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "logs" / "wine").iterdir()} == {"run-0", "run-1"}
    assert [row["step"] for row in names["rows"]] == list(range(24))
    assert "fine-tuning/validation_loss" in names["rows"][-1]
    assert (tmp_path / "wine.gif").read_bytes().startswith(b"GIF89a")
    assert len(names["scores"]) == 24 + 3
