"""``ipcae select``, from the table to the result files."""

import csv
import hashlib
import json
import re
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.outputs.results import RESULT_FILES


def read(folder: Path, name: str):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_the_real_command_writes_all_it_promises(start, frame, tmp_path):
    table, out = tmp_path / "patients.csv", tmp_path / "new" / "panel"
    frame.to_csv(table, index=False)
    process = start(
        *("select", table, "--target", "label", "-k", 3, "--out", out),
        *("--runs", 2, "--epochs", 20, "--drop", "price", "--method", "ip-cae"),
    )
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    assert sorted(path.name for path in out.iterdir()) == sorted(RESULT_FILES)

    selected = (out / "selected.txt").read_text().split()
    assert len(set(selected)) == 3
    with (out / "ranking.csv").open() as file:
        ranking = list(csv.DictReader(file))
    assert list(ranking[0]) == [
        *("rank", "feature", "selected", "importance", "importance_error", "probability"),
        "other_seeds",
    ]
    assert [row["feature"] for row in ranking if row["selected"] == "True"] == selected
    assert {row["feature"] for row in ranking} == set("abcdef")
    assert [row["importance"] == "" for row in ranking] == [False] * 3 + [True] * 3
    assert [row["importance_error"] == "" for row in ranking] == [False] * 3 + [True] * 3
    assert all(float(row["other_seeds"]) in (0, 1) for row in ranking)

    metrics = read(out, "metrics.json")
    assert metrics["task"] == "classification"
    assert metrics["held_out_rows"] == 12
    assert metrics["chance"]["better"] == (metrics["chance"]["p_value"] <= 0.05)
    assert metrics["chance"]["folds"] == 3
    assert metrics["chance"]["sentence"] in stdout
    assert 'class="verdict ' in (out / "report.html").read_text(encoding="utf-8")
    names = {"accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier_score"}
    assert set(metrics["held_out"]) == set(metrics["intervals"]) == names
    for name, (low, high) in metrics["intervals"].items():
        assert low <= metrics["held_out"][name] <= high
    assert np.sum(metrics["confusion_matrix"]) == sum(metrics["calibration"]["rows"]) == 12
    assert metrics["reference"]["balanced_accuracy"] == 0.5
    assert [run["status"] for run in metrics["runs"]] == ["finished", "finished"]

    settings = read(out, "settings.json")
    assert settings["table"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert settings["arguments"]["drop"] == ["price"]
    assert settings["parameters"]["max_epochs"] == 20
    assert settings["parameters"]["method"] == settings["method"] == "ip-cae"
    assert set(settings["versions"]) >= {"ipcae", "torch", "numpy", "scikit-learn", "python"}
    assert len(settings["seeds"]["runs"]) == 2

    history = pd.read_csv(out / "history.csv")
    assert list(history) == ["run", "epoch", "phase", "metric", "value"]
    assert {"validation_loss", "unique_percentage"} <= set(history.metric)
    for name in ("training.png", "selection.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")

    assert 'Task: classification, because "label" is text with 2 distinct values.' in stdout
    assert "Selected 3 of 6 columns" in stdout
    assert all(name in stdout for name in (*selected, *RESULT_FILES, "balanced accuracy"))
    for word in (
        "selecting",
        "loss",
        "unique",
        "elapsed",
        "fine-tuning",
        "Comparing with chance, by cross-validation:",
    ):
        assert word in stderr


def test_the_method_follows_from_the_shape_of_the_table(ipcae, frame, tmp_path):
    table, out = tmp_path / "patients.csv", tmp_path / "out"
    frame.to_csv(table, index=False)
    short = ("-k", 3, "--runs", 1, "--epochs", 2, "--out", out)
    outcome = ipcae("select", table, "--target", "label", *short)
    assert outcome.code == 0, outcome.err
    assert "Method: adaptive, because the table has 48 rows; " in outcome.out
    settings = read(out, "settings.json")
    assert settings["arguments"]["method"] is None
    assert settings["method"] == "adaptive"
    assert settings["method_reason"] in outcome.out
    report = (out / "report.html").read_text()
    assert "3 of 7 features were selected by the method adaptive" in report


def test_quiet_is_silent_and_keeps_its_warnings_in_the_files(select, frame, tmp_path):
    table = frame.assign(flat=1.0, step=range(5, 65))
    assert select(table, "--target", "label", "--quiet") == (0, "", "")
    for name in ("metrics.json", "settings.json"):
        warnings = read(tmp_path / "out", name)["warnings"]
        assert [w for w in warnings if "flat" in w and "constant" in w]
        assert [w for w in warnings if "step only numbers the rows" in w]


def test_warnings_are_lines_of_their_own(select, numbers):
    outcome = select(numbers.assign(flat=1.0))
    assert outcome.code == 0
    assert "warning: 1 of 8 columns is constant in the training rows (flat)" in outcome.err
    assert "TrainingWarning" not in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a single process")
def test_an_interrupt_still_writes_and_exits_with_130(start, numbers, tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out"
    numbers.to_csv(table, index=False)
    process = start(
        "select", table, "-k", 3, "--out", out, "--epochs", 5000, "--runs", 1, "--method", "ip-cae"
    )
    # The first sign of progress comes after a tenth of the epochs.
    assert process.stderr.readline().startswith("selecting")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    assert "Interrupted; the best state so far selects 3 of 7 columns" in stdout
    assert "warning: Training was interrupted" in stderr
    assert read(out, "metrics.json")["interrupted"] is True
    assert len((out / "selected.txt").read_text().split()) == 3


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "npz"])
def test_every_kind_of_table_gives_the_same_answer(select, numbers, tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    X = numbers.drop(columns="price")
    match ending:
        case "parquet":
            numbers.to_parquet(path)
        case "npz":
            np.savez(path, X=X, y=numbers.price, feature_names=list(X))
        case _:
            numbers.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    target = "y" if ending == "npz" else "price"
    assert select(path, "--target", target, "-q").code == 0
    metrics = read(tmp_path / "out", "metrics.json")
    assert metrics["task"] == "regression"
    assert set(metrics["held_out"]) == {"r2", "mean_absolute_error", "root_mean_squared_error"}
    assert metrics["held_out"]["r2"] == pytest.approx(-0.03, abs=0.6)
    assert metrics["training_rows"] == 48


def test_without_a_target_all_columns_are_reconstructed(select, numbers, tmp_path):
    outcome = select(numbers, "-k", "0.5")
    assert outcome.code == 0
    assert "Task: reconstruction, because no --target is given" in outcome.out
    metrics = read(tmp_path / "out", "metrics.json")
    assert set(metrics["held_out"]) == {"r2", "error"}
    assert metrics["reference"]["r2"] == pytest.approx(0, abs=0.3)
    assert metrics["selected"] == 4


def test_the_same_seed_gives_the_same_files(select, numbers, tmp_path):
    contents = []
    for _ in range(2):
        assert select(numbers, "--force", "-q", "--seed", 3).code == 0
        names = ("selected.txt", "ranking.csv", "metrics.json", "history.csv", "training.png")
        contents.append([(tmp_path / "out" / name).read_bytes() for name in names])
    assert contents[0] == contents[1]


def test_missing_values_can_be_dropped(select, frame, tmp_path):
    frame.loc[:3, "label"] = None
    frame.loc[2:5, "b"] = np.nan
    frame.loc[6, "c"] = np.inf
    outcome = select(frame, "--target", "label", "--drop-missing")
    assert outcome.code == 0
    assert "warning: 7 of 60 rows have missing values and are dropped." in outcome.err
    assert read(tmp_path / "out", "settings.json")["table"]["rows"] == 53


def test_using_y_of_an_npz_file_is_mentioned(select, numbers, tmp_path):
    np.savez(tmp_path / "table.npz", X=numbers, y=np.arange(60) % 3)
    outcome = select(tmp_path / "table.npz")
    assert "warning: the array y of the file is used as a feature" in outcome.err


def test_the_summary_stays_short_where_many_are_selected(select, tmp_path):
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 60)))
    outcome = select(wide.add_prefix("gene"), "-k", 45)
    assert "… 25 more in ranking.csv" in outcome.out
    assert len((tmp_path / "out" / "selected.txt").read_text().split()) == 45


def test_with_groups_of_rows_the_method_is_named_after_the_fit(ipcae, tmp_path):
    random = np.random.default_rng(0)
    person = np.repeat(np.arange(40), 160)
    rows = random.normal(size=(40, 3))[person] + 0.1 * random.normal(size=(6400, 3))
    table = pd.DataFrame(rows, columns=list("abc")).assign(person=person, kind=rows[:, 0] > 0)
    table.to_csv(tmp_path / "people.csv", index=False)
    short = ("-k", 1, "--runs", 1, "--epochs", 1, "--out", tmp_path / "out", "--no-verdict")
    outcome = ipcae(
        "select", tmp_path / "people.csv", "--target", "kind", "--groups", "person", *short
    )
    assert outcome.code == 0, outcome.err
    settings = read(tmp_path / "out", "settings.json")
    assert "rows of 32 groups" in settings["method_reason"]
    (named,) = re.findall("Method: (.*)", outcome.out)
    assert named == f"{settings['method']}, because {settings['method_reason']}."
