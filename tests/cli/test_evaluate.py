"""ipcae evaluate, and its how-to page."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from ipcae.cli.feature_list import read_list
from tests.pages import HOW_TO, run_in_process, run_page


@pytest.fixture
def files(frame, tmp_path):
    frame.drop(columns="price").to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "mine.txt").write_text('\ufeffa\n\n"b"\nd\n', encoding="utf-8")
    return tmp_path


def test_a_list_is_evaluated_and_written(ipcae, files):
    command = ("evaluate", files / "table.csv", "--features", files / "mine.txt")
    fast = ("--target", "label", "--epochs", 3, "--folds", 2, "--random", 2, "--out", files / "out")
    outcome = ipcae(*command, *fast)
    assert outcome.code == 0, outcome.err
    assert "The given 3 features reach" in outcome.out
    assert re.search(r"^ given +[\d.]+ ± [\d.]+ %", outcome.out, flags=re.MULTILINE)
    found = json.loads((files / "out" / "evaluation.json").read_text(encoding="utf-8"))
    assert found["features"] == ["a", "b", "d"]
    assert {each["feature"] for each in found["without"]} == {"a", "b", "d"}
    table = pd.read_csv(files / "out" / "evaluation.csv")
    assert table["list"].tolist()[0] == "given"
    assert {"roc_auc", "roc_auc_error"} <= set(table)
    page = (files / "out" / "evaluation.html").read_text(encoding="utf-8")
    assert "mine.txt: 3 columns of table.csv" in page
    again = ipcae(*command, *fast)
    assert again.code == 2
    assert "already contains results" in again.err


def test_a_list_with_a_category_is_evaluated(ipcae, files):
    frame = pd.read_csv(files / "table.csv")
    frame.assign(b=["x", "y", "z"] * 20).to_csv(files / "table.csv", index=False)
    command = ("evaluate", files / "table.csv", "--features", files / "mine.txt")
    fast = ("--target", "label", "--epochs", 3, "--folds", 2, "--random", 2, "--out", files / "out")
    outcome = ipcae(*command, *fast)
    assert outcome.code == 0, outcome.err
    found = json.loads((files / "out" / "evaluation.json").read_text(encoding="utf-8"))
    assert {each["feature"] for each in found["without"]} == {"a", "b", "d"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nbee\n", 'has no column "bee" (--features)'),
        ("", "is empty: expected one column name per line."),
        ('"a\n', "cannot be read"),
        ("A\nbee\nF\n", 'has no columns "A", "bee", "F" (--features): did you mean "a", "f"?'),
        ("a, b\n", 'has no column "a, b" (--features): expected one column name per line'),
        ("a\nlabel\n", 'that cannot be used: "label": it is the target.'),
        (None, "is not a file: expected a text file"),
    ],
)
def test_an_invalid_list_raises_an_error(ipcae, files, content, message):
    path = files / "list.txt"
    if content is not None:
        path.write_text(content)
    outcome = ipcae("evaluate", files / "table.csv", "--features", path, "--target", "label")
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_list_may_have_the_encodings_of_a_table(tmp_path, encoding):
    (tmp_path / "list.txt").write_text("Größe\nÂge\n", encoding=encoding)
    assert read_list(tmp_path / "list.txt") == ["Größe", "Âge"]


def test_a_list_is_compared_with_a_selection_of_the_same_size(ipcae, files):
    fast = ("--target", "label", "--epochs", 3, "--folds", 2, "--random", 2)
    command = ("evaluate", files / "table.csv", "--features", files / "mine.txt", *fast)
    assert " selected by adaptive " in ipcae(*command).out
    assert "selected by" not in ipcae(*command, "--method", "none").out


def test_a_list_for_survival_with_groups_of_rows(ipcae, files, frame):
    table = frame.drop(columns=["label", "price"]).assign(
        days=range(1, 61), died=[0, 1, 1] * 20, patient=[i // 3 for i in range(60)]
    )
    table.to_csv(files / "table.csv", index=False)
    command = (
        "evaluate",
        files / "table.csv",
        "--features",
        files / "mine.txt",
        "--method",
        "none",
    )
    fast = ("--time", "days", "--event", "died", "--groups", "patient", "--epochs", 2, "--folds", 2)
    outcome = ipcae(*command, *fast, "--random", 2)
    assert outcome.code == 0, outcome.err
    assert "for survival in 2 folds" in outcome.out


@pytest.mark.parametrize("option", [("--folds", 1), ("--epochs", 0), ("--random", -1)])
def test_an_invalid_option_raises_an_error(ipcae, files, option):
    outcome = ipcae("evaluate", files / "table.csv", "--features", files / "mine.txt", *option)
    assert outcome.code == 2
    assert f"{option[0]} {option[1]} is too small" in outcome.err


def test_the_how_to_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_page(HOW_TO / "evaluate.md", run_in_process)
    assert sorted(path.name for path in Path("mine").iterdir()) == [
        *("evaluation.csv", "evaluation.html", "evaluation.json")
    ]
    assert names["result"].given.mean("accuracy") > 0.8
    assert names["result"].random.mean("accuracy") < names["result"].given.mean("accuracy")
