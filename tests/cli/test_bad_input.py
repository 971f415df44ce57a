"""Every invalid input gives one message that says how to fix it, code 2, and no training."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def refused(select, tmp_path, monkeypatch):
    """Select, and expect to be refused before training with a single line that says all this."""

    def no_training(*_: object) -> None:
        raise AssertionError("training started")

    monkeypatch.setattr("ipcae.cli.select.run_experiment", no_training)

    def call(table: pd.DataFrame | Path, *arguments: object, says: list[str]) -> None:
        code, out, err = select(table, *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert [words for words in says if words not in err] == [], err

    return call


def test_missing_and_infinite_values(refused, numbers):
    numbers.loc[3:5, "b"] = np.nan
    numbers.loc[0, "c"] = -np.inf
    says = [
        "3 missing (NaN) and 1 infinite values in 2 of 7 columns (b: 3, c: 1)",
        "--missing impute",
        "--missing drop",
    ]
    refused(numbers, says=says)


@pytest.mark.parametrize(
    ("k", "says"),
    [
        (8, ["-k 8 is more than the 7 columns", "expected fewer"]),
        (0, ["-k 0 is too small", "expected 1 to 7"]),
        (-2, ["-k -2 is too small"]),
        ("1.5", ["-k 1.5 is not understood", "0.1"]),
        ("many", ["-k many is not understood", "such as 20"]),
    ],
)
def test_a_number_of_columns_that_cannot_be(refused, numbers, k, says):
    refused(numbers, "-k", k, says=says)


def test_too_few_rows(refused, numbers):
    refused(numbers[:6], says=["has 6 rows: expected at least 10"])
    refused(numbers[:12], "--test-fraction", 0.8, says=["12 rows: too few to hold out 10"])


def test_an_invalid_test_fraction(refused, numbers):
    refused(numbers, "--test-fraction", 1.5, says=["--test-fraction 1.5 is not a fraction"])


def test_one_class_only(refused, frame):
    refused(
        frame.assign(label="sick"),
        *("--target", "label"),
        says=['column "label"', 'only one class, "sick"', "at least two"],
    )


def test_a_target_that_never_changes(refused, numbers):
    flat = numbers.assign(price=2.5)
    refused(flat, "--target", "price", says=["is 2.5 in every row", "nothing to predict"])


def test_a_table_that_never_changes(refused, numbers):
    refused(numbers * 0, says=["every column", "is constant"])


def test_no_columns_that_can_be_used(refused, frame, tmp_path):
    table = pd.DataFrame(
        {"patient": [f"P{i}" for i in range(60)], "day": pd.Timestamp("2020-01-01"), "no": pd.NA}
    )
    table.to_parquet(tmp_path / "table.parquet")
    says = ["no columns that can be used", 'patient: left out: all 60 values differ, such as "P0"']
    refused(tmp_path / "table.parquet", says=[*says, "day: left out: dates", "no: left out: every"])


def test_a_missing_target_column(refused, frame):
    refused(frame, "--target", "Lable", says=['no column "Lable"', 'did you mean "label"?'])
    refused(frame, "--target", "zzz", says=['no column "zzz"', "it has a, b, c, d, e, … 3 more"])


def test_a_missing_column_to_drop(refused, frame):
    says = ['no column "prize" (--drop)', 'did you mean "price"?']
    refused(frame, "--target", "label", "--drop", "prize", says=says)
    refused(frame, "--target", "label", "--drop", "label", says=["cannot be dropped"])


def test_nothing_left_to_choose_from(refused, frame):
    drops = [word for name in frame.columns for word in ("--drop", name)]
    refused(frame, *drops, says=["no columns left"])


def test_a_target_with_gaps(refused, frame):
    frame.loc[:3, "label"] = None
    refused(frame, "--target", "label", says=["missing in 4 of 60 rows", "--missing drop"])


def test_only_gaps(refused, numbers):
    says = ["every row", "--missing drop would leave no rows"]
    numbers.loc[::2, "a"], numbers.loc[1::2, "b"] = np.nan, np.nan
    refused(numbers, "--drop-missing", says=says)


def test_a_target_that_is_an_id(refused, frame):
    table = frame.assign(label=[f"P{i}" for i in range(60)])
    says = ["60 distinct values in 60 rows", "Choose another --target"]
    refused(table, "--target", "label", says=says)
    numbers = frame.assign(label=range(60))
    arguments = ("--target", "label", "--task", "classification")
    refused(numbers, *arguments, says=["60 distinct values", "--task regression"])


def test_a_task_that_does_not_fit(refused, frame, numbers):
    refused(numbers, "--task", "regression", says=["needs a column to predict", "--target"])
    regression = ("--target", "label", "--task", "regression")
    refused(frame, *regression, says=['not numeric (such as "well")'])
    reconstruction = ("--target", "price", "--task", "reconstruction")
    refused(numbers, *reconstruction, says=["does not use a target", '--drop "price"'])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", ["is empty"]),
        ("head.csv", b"a,b,c\n", ["has no rows"]),
        ("torn.csv", b'a,b,c\n1,2,3\n3,4,"5', ["cannot be read as .csv"]),
        ("broken.parquet", b"PAR1", ["cannot be read as Parquet"]),
        ("broken.npz", b"PK", ["is not an .npz file"]),
        ("table.xls", b"?", ["has an unknown format", "as .xlsx or .csv"]),
        ("table.csv.xz", b"?", ["has an unknown format", "Unpack it first."]),
    ],
)
def test_unreadable_files(refused, tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, says=[name, *says])


def test_a_file_that_is_not_there(refused, tmp_path):
    (tmp_path / "patients.csv").write_text("a\n1\n")
    says = ["does not exist", "did you mean patients.csv?"]
    refused(tmp_path / "patient.csv", says=says)


def test_an_unknown_method_or_device(refused, numbers):
    refused(numbers, "--method", "ip-cea", says=["Unknown method 'ip-cea'", "mean 'ip-cae'?"])
    refused(numbers, "--device", "toaster", says=["'toaster'", "cpu"])
    refused(numbers, "--device", "cuda:63", says=["cuda:63", "cpu"])


@pytest.mark.parametrize("option", ["--runs", "--epochs"])
def test_counts_below_one(refused, numbers, option):
    refused(numbers, option, 0, says=[f"{option} 0 is too small"])


def test_results_are_not_replaced_unless_forced(refused, numbers, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "metrics.json").write_text("{}")
    refused(numbers, says=["already contains results (metrics.json)", "--force"])
    assert (tmp_path / "out" / "metrics.json").read_text() == "{}"


def test_an_out_folder_that_is_a_file_or_below_one(refused, numbers, tmp_path):
    (tmp_path / "file").write_text("")
    refused(numbers, "--out", tmp_path / "file", says=["is a file: expected a folder"])
    says = ["cannot write", "Not a directory", "choose another folder"]
    refused(numbers, "--out", tmp_path / "file" / "folder", says=says)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_an_out_folder_that_is_not_writable(refused, numbers):
    refused(numbers, "--out", "/proc/ipcae", says=["cannot write", "/proc/ipcae"])


def test_a_full_disk_is_found_before_training(start, numbers, tmp_path):
    resource = pytest.importorskip("resource")
    table, out = tmp_path / "table.csv", tmp_path / "out"
    numbers.to_csv(table, index=False)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, 2**16))

    process = start("select", table, "-k", 3, "--out", out, preexec_fn=little_room)
    stdout, stderr = process.communicate(timeout=120)
    assert (process.returncode, stdout) == (2, "")
    assert stderr.startswith("error: cannot write ")
    assert " MB of results to --out" in stderr
    assert "File too large" in stderr
    assert stderr.count("\n") == 1
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("counts", [{"--epochs": 10**9}, {"--runs": 10**9}, {"--epochs": 10**7}])
def test_absurd_counts(refused, numbers, counts):
    arguments = [word for pair in ({"--runs": 2} | counts).items() for word in pair]
    says = ["--runs", "--epochs", "more than 10,000,000 epochs in total"]
    refused(numbers, *arguments, says=says)


def test_an_absurd_grid(refused, numbers):
    refused(numbers, "--grid", f"{'9' * 5000}x1", says=["--grid", "is not understood"])


@pytest.mark.parametrize(
    ("value", "words"),
    [([1, 2], "lists"), ({"x": 1}, "records"), (b"\xff", "binary data"), ([{"k": 1}], "lists")],
)
def test_targets_that_hold_no_single_values(refused, numbers, tmp_path, value, words):
    path = tmp_path / "table.parquet"
    numbers.assign(odd=[value] * len(numbers)).to_parquet(path)
    refused(path, "--target", "odd", says=[f'"odd" of {path} contains {words}', "another --target"])


def test_a_likely_leak_is_pointed_out_once_and_before_the_training(select, frame):
    frame["fate"] = frame["label"].map({"sick": "b", "well": "a"}).where(frame.index % 7 > 0, "c")
    frame.loc[(frame.index % 7 == 0) & (frame["label"] == "sick"), "fate"] = "b"
    said = "Likely leak: fate alone predicts the target"
    assert select(frame, "--target", "label").err.count(said) == 1
    untrained = select(frame, "--target", "label", "--include", "nothing", "--force")
    assert untrained.code == 2
    assert said in untrained.err


def test_the_parts_of_a_total_are_named_once_and_before_the_training(select, numbers, tmp_path):
    said = "The target can be computed from 2 columns (a, c)"
    assert select(numbers, "--target", "price").err.count(said) == 1
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["computed_from"] == [
        "a",
        "c",
    ]
    noisy = numbers.assign(price=numbers.price + 0.1 * numbers.d * numbers.e)
    assert said not in select(noisy, "--target", "price", "--force").err


def test_other_parts_of_the_target_among_the_training_rows_are_not_named_again(
    select, numbers, monkeypatch
):
    """As in spectra, where many columns are alike."""
    parts = "ipcae.evaluation.table_checks.parts_of_target"
    monkeypatch.setattr(parts, lambda *given: ("b", "d"))
    assert select(numbers, "--target", "price").err.count("can be computed from") == 1


def test_missing_values_in_every_row_are_not_to_be_dropped(select, frame):
    for row in frame.index:
        frame.loc[row, "ab"[row % 2]] = np.nan
    outcome = select(frame, "--target", "label")
    assert "--missing impute, or drop the columns with --drop COLUMN: no row is" in outcome.err
    assert "--missing drop" not in outcome.err


def test_a_single_column_is_counted_as_one(select, frame):
    outcome = select(frame[["a", "label"]], "--target", "label")
    assert "-k 3 is more than the 1 column of" in outcome.err


def test_infinite_values_are_refused_without_a_warning_of_numpy(select, frame):
    frame.loc[[3, 4], "a"] = np.inf
    outcome = select(frame, "--target", "label")
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


def test_standard_input_is_no_table(ipcae):
    outcome = ipcae("select", "-", "-k", 3)
    assert outcome.code == 2
    assert "cannot be read from standard input: save it as a file first." in outcome.err
