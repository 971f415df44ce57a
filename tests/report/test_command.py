"""Reports written by ``ipcae select`` and ``ipcae report``."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.app import run


@pytest.fixture
def panel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Select three columns hastily into a folder."""
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)), columns=list("abcdef"))
    table["label"] = np.where(table.a + table.b > 0, "sick", "well")
    table.to_csv(tmp_path / "patients.csv", index=False)
    out = tmp_path / "panel"
    command = f"select {tmp_path}/patients.csv --target label -k 3 --epochs 3 --runs 1 --out {out}"
    assert run(command.split()) == 0
    capsys.readouterr()
    return out


def before_the_seconds(page: str) -> str:
    """Return the features, the held-out rows and the comparison."""
    return page[page.index("<main>") : page.index("Training took")]


def test_select_writes_a_report_of_its_rows(panel):
    page = (panel / "report.html").read_text(encoding="utf-8")
    digest = json.loads((panel / "settings.json").read_text())["table"]["sha256"]
    for words in (
        "<h1>patients.csv: 3 of 6 columns to predict label</h1>",
        "12 held-out rows",
        "48 training rows",
        digest,
    ):
        assert words in page
    accuracy = json.loads((panel / "metrics.json").read_text())["held_out"]["accuracy"]
    assert f"<td>{100 * accuracy:.1f}".removesuffix(".0") + "\u00a0%</td>" in page


def test_options_that_are_not_given_are_left_out_and_warnings_have_a_line_each(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)), columns=list("abcdef"))
    table = table.assign(id=np.arange(60) // 2, g=table.a.round(2), y=table.a + table.b)
    table.loc[::9, "g"] = -999
    table.to_csv(tmp_path / "t.csv", index=False)
    command = f"select {tmp_path}/t.csv --target y -k 2 --epochs 2 --runs 1 -q --out {tmp_path}/o"
    assert run([*command.split(), "--no-verdict"]) == 0
    page = (tmp_path / "o/report.html").read_text(encoding="utf-8")
    shown = page[page.index(">Command<") :]
    assert "batch_key" not in shown
    assert "counts_expected" not in shown
    lines = shown[shown.index(">Warnings<") :].split("<tr>")
    (groups,) = (line for line in lines if "id seems to say" in line)
    (codes,) = (line for line in lines if "may stand for missing values" in line)
    assert groups != codes


def test_report_says_the_same_again(panel, capsys):
    before = (panel / "report.html").read_text(encoding="utf-8")
    (panel / "report.html").unlink()
    assert run(["report", str(panel), "--grid", "2x3"]) == 0
    assert capsys.readouterr().out == f"Written: {panel / 'report.html'}\n"
    page = (panel / "report.html").read_text(encoding="utf-8")
    assert "On the grid" in page
    assert run(["report", str(panel), "-q"]) == 0
    again = (panel / "report.html").read_text(encoding="utf-8")
    assert before_the_seconds(again) == before_the_seconds(before)


def test_select_draws_on_a_grid_that_fits(panel, capsys):
    table = panel.parent / "patients.csv"
    command = f"select {table} --target label -k 3 --epochs 2 --runs 1 --out {panel} --force --grid"
    assert run([*command.split(), "5x5"]) == 2
    assert "does not fit 6 features" in capsys.readouterr().err
    assert run([*command.split(), "2x3"]) == 0
    assert "On the grid" in (panel / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("fate", "words"), [("gone", "was not found"), ("new", "has changed")])
def test_without_its_table_the_report_does_without_rows(panel, capsys, fate, words):
    table = panel.parent / "patients.csv"
    if fate == "gone":
        os.remove(table)
    else:
        table.write_text(table.read_text() + "1,2,3,4,5,6,sick\n")
    assert run(["report", str(panel)]) == 0
    assert words in capsys.readouterr().err
    assert "No rows were given to evaluate the selection on" in (panel / "report.html").read_text(
        "utf-8"
    )


def test_a_folder_without_a_selection_is_refused(panel, capsys):
    assert run(["report", str(panel.parent)]) == 2
    assert "holds no model.safetensors and no settings.json" in capsys.readouterr().err
    assert run(["report", str(panel), "--grid", "eight"]) == 2
    assert "--grid eight is not understood" in capsys.readouterr().err
    assert run(["report", str(panel), "--grid", "4x4"]) == 2
    assert "does not fit 6 features" in capsys.readouterr().err
    (panel / "settings.json").write_text("{}")
    assert run(["report", str(panel)]) == 2
    assert "is damaged" in capsys.readouterr().err
