"""Columns whose names mean something to Matplotlib, a spreadsheet, a terminal or a browser."""

import csv
import json
import signal

import pandas as pd
import pytest

from ipcae.cli.names import from_cell, from_line
from ipcae.cli.outputs.results import RESULT_FILES

MATHS = "spend_$_per_$_earned"


def named(numbers, *names):
    """Return the table with other names for its first columns."""
    return numbers.rename(columns=dict(zip(numbers.columns, names, strict=False)))


def ranked(folder):
    with (folder / "ranking.csv").open(encoding="utf-8", newline="") as file:
        return [row["feature"] for row in csv.DictReader(file)]


def test_two_dollar_signs_are_not_parsed_as_mathematics(select, numbers, tmp_path):
    table = named(numbers, MATHS, "$\\frac{$", "$\\$$", "a$b")
    outcome = select(table, "-k", 7)
    assert outcome.code == 0, outcome.err
    assert "could not be created" not in outcome.err
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(RESULT_FILES)
    assert set((tmp_path / "out" / "selected.txt").read_text().splitlines()) == set(table)


def test_a_plot_that_fails_is_a_warning(select, numbers, tmp_path, monkeypatch):
    assert select(numbers).code == 0

    def fail(*_: object, **__: object) -> None:
        print("plots begin")
        raise RuntimeError("no ink")

    monkeypatch.setattr("ipcae.plots.plot_selection", fail)
    monkeypatch.setattr("ipcae.cli.outputs.report.report_html", fail)
    outcome = select(numbers, "--force")
    assert outcome.code == 0
    assert "warning: selection.png could not be created (RuntimeError: no ink)" in outcome.err
    assert "warning: report.html could not be created" in outcome.err
    assert "report.html" not in outcome.out
    assert outcome.out.index("Selected 3 of") < outcome.out.index("plots begin")
    # The pictures of the earlier selection are not left beside the files of this one.
    left = sorted(set(RESULT_FILES) - {"selection.png", "report.html"})
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == left


def test_ctrl_c_while_the_report_is_written_leaves_the_rest(select, numbers, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ipcae.cli.outputs.report.report_html", interrupt)
    outcome = select(numbers)
    assert outcome.code == 130
    assert "warning: report.html could not be created (interrupted)" in outcome.err
    assert "selected.txt" in outcome.out


def test_ctrl_c_between_the_files_does_not_say_that_nothing_was_written(start, numbers, tmp_path):
    path, out = tmp_path / "table.csv", tmp_path / "out"
    numbers.to_csv(path, index=False)
    fast = ("--method", "pfa", "--epochs", 2, "--runs", 1, "--no-verdict", "--out", out)
    process = start("select", path, "-k", 3, *fast)
    for line in process.stdout:
        if line.startswith("  *"):  # the last line of the tables
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert "interrupted" in errors
    assert "nothing was written" not in errors
    assert {"selected.txt", "model.safetensors"} <= {file.name for file in out.iterdir()}


def test_a_name_takes_one_line(select, numbers, tmp_path):
    hostile = ["two\nlines", '"quoted"', "paragraph\u2029s", "back\\slash", "tab\there"]
    assert select(named(numbers, *hostile), "-k", 7, "-q").code == 0
    lines = (tmp_path / "out" / "selected.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 7
    assert {from_line(line) for line in lines} == {*hostile, "f", "price"}
    assert "back\\slash" in lines
    assert set(ranked(tmp_path / "out")) == {*hostile, "f", "price"}


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-a", "@SUM(A1)", "-2", "'quoted'"]


def test_a_name_is_not_written_as_a_formula(select, ipcae, numbers, tmp_path):
    table = named(numbers, *FORMULAS)
    assert select(table, "-k", 7, "-q").code == 0
    names = ranked(tmp_path / "out")
    assert {name for name in names if name.startswith(("=", "+", "-", "@"))} == {"-2"}
    assert {from_cell(name) for name in names} == set(table)
    # What predict writes has the same header, and predict reads it.
    model, first, second = tmp_path / "out" / "model.safetensors", tmp_path / "1", tmp_path / "2"
    for source, out in ((tmp_path / "table.csv", first), (f"{first}.csv", second)):
        outcome = ipcae("predict", model, source, "--out", f"{out}.csv")
        assert outcome.code == 0, outcome.err
        header = list(pd.read_csv(f"{out}.csv"))
        assert not [name for name in header if name[0] in "=+@"]
        assert {from_cell(name) for name in header} == set(table)


@pytest.mark.parametrize("name", ["=1+1", "'=1+1"])
def test_a_marked_name_is_understood(select, numbers, tmp_path, name):
    assert select(named(numbers, "=1+1"), "--target", name, "-q").code == 0
    assert json.loads((tmp_path / "out" / "settings.json").read_text())["target"] == "=1+1"


def test_hidden_characters_are_shown(select, numbers, tmp_path):
    hostile = ["red\x1b[31m", "gpj\u202eexe", "two\nlines"]
    outcome = select(named(numbers, *hostile), "-k", 7)
    assert outcome.code == 0
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for shown in ("red\\x1b[31m", "gpj\\u202eexe", "two\\nlines"):
        assert shown in outcome.out
        assert shown in report
    for character in ("\x1b", "\u202e"):
        assert character not in outcome.out
        assert character not in report


def test_hidden_characters_are_shown_in_errors(select, numbers):
    table = named(numbers.assign(a=[1.0, None] * 30), "red\x1b[31m\nerror: no")
    outcome = select(table)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "red\\x1b[31m\\nerror: no" in outcome.err
