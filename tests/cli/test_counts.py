"""``select`` with several numbers of columns, folds, groups and scores."""

import json

import numpy as np
import pytest

from ipcae.cli import counts
from ipcae.cli.counts import reason_for, rows_to_compare
from ipcae.estimators.many_fits import method_comparison


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.assign(machine=np.repeat(list("PQRSTU"), 10)).to_csv(path, index=False)
    return path


def arguments(table, out, *more):
    return (
        *("select", table, "--target", "label", "--out", out, "--drop", "price", "--runs", 1),
        *("--epochs", 15, "--no-verdict", *more),
    )


def test_the_number_of_columns_is_chosen_by_cross_validation(ipcae, table, tmp_path):
    out = tmp_path / "out"
    outcome = ipcae(
        *arguments(table, out, "-k", "auto", "--cv", 3, "--groups", "machine"),
        *("--scoring", "roc_auc"),
    )
    assert outcome.code == 0, outcome.err
    assert "ROC AUC in 3 folds" in outcome.out
    metrics = json.loads((out / "metrics.json").read_text())
    found = metrics["cross_validation"]
    assert found["n_features"] == [1, 2, 5, 6]
    assert metrics["selected"] == found["chosen"] == len((out / "selected.txt").read_text().split())
    assert metrics["held_out_rows"] % 10 == 0  # whole machines
    settings = json.loads((out / "settings.json").read_text())
    assert settings["arguments"]["groups"] == "machine"
    assert ipcae("report", out).code == 0


def test_of_many_rows_numbers_are_compared_on_a_sample(ipcae, table, tmp_path, monkeypatch):
    monkeypatch.setattr(counts, "MOST_COMPARED", 30)
    monkeypatch.setattr(counts, "FEWEST_OF_A_CLASS", 5)
    out = tmp_path / "out"
    given = [each for each in arguments(table, out, "-k", "1,2") if each != "--no-verdict"]
    outcome = ipcae(*given, "--drop", "machine")
    assert outcome.code == 0, outcome.err
    assert "in 5 folds of a sample of 30 rows" in outcome.err + outcome.out
    assert "in 5-fold cross-validation" in outcome.out
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["cross_validation"]["rows"] == 30
    assert metrics["selected"] == metrics["cross_validation"]["chosen"]
    assert "(chosen)" in (out / "report.html").read_text()


def test_a_sample_has_enough_rows_of_a_rare_class():
    rows, classes = np.arange(100_000), (np.arange(200_000) % 40 == 0).astype(int)
    assert len(rows_to_compare(rows, None, seed=0)) == 20_000
    sample = rows_to_compare(rows, classes, seed=0)
    assert len(sample) == 40_000
    assert classes[sample].sum() == 1_000
    assert (np.diff(sample) > 0).all()
    rarer = (np.arange(200_000) % 200 == 0).astype(int)
    assert rows_to_compare(rows, rarer, seed=0) is rows


def test_one_number_may_be_cross_validated_too(ipcae, table, tmp_path):
    out = tmp_path / "out"
    outcome = ipcae(*arguments(table, out, "-k", "2", "--cv", 2, "--drop", "machine"))
    assert outcome.code == 0, outcome.err
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["cross_validation"]["n_features"] == [2]
    assert len(metrics["cross_validation"]["standard_error"]) == 1


def test_methods_are_compared_for_every_number(ipcae, table, tmp_path, monkeypatch):
    monkeypatch.setattr(method_comparison, "CANDIDATES", ("anova", "l1-logistic"))
    out = tmp_path / "out"
    outcome = ipcae(
        *arguments(table, out, "-k", "1,3", "--cv", 2, "--drop", "machine", "--method", "auto")
    )
    assert outcome.code == 0, outcome.err
    assert "best method" in outcome.out
    metrics = json.loads((out / "metrics.json").read_text())
    assert len(metrics["cross_validation"]["method"]) == 2
    page = (out / "report.html").read_text()
    assert "Methods compared" in page
    assert "best method" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-k", "2,99"), "-k 99 is more than the 6 columns"),
        (("-k", "2,x"), "-k x is not understood"),
        (("-k", ","), "is not understood"),
        (("-k", "2", "--scoring", "roc_auc"), "give several, such as"),
        (("-k", "auto", "--scoring", "rocauc"), "Did you mean roc_auc?"),
        (("-k", "auto", "--cv", 1), "at least 2 folds"),
        (("-k", "auto", "--groups", "machin"), "machin"),
        (("-k", "auto", "--groups", "label"), "cannot be --groups as well"),
        (("-k", "auto", "--cv", 6, "--groups", "machine"), "groups for 6 folds"),
        (("-k", "auto", "--checkpoint", "folder"), "cannot be resumed"),
    ],
)
def test_invalid_options_raise_an_error_of_one_sentence(ipcae, table, tmp_path, options, message):
    numbers = [] if "machine" in options else ["--drop", "machine"]
    outcome = ipcae(*arguments(table, tmp_path / "out", *options, *numbers))
    assert outcome.code != 0
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_the_number_for_a_rare_class_is_not_chosen_by_accuracy(select, frame, tmp_path):
    table = frame.assign(label=["sick"] * 12 + ["well"] * 48).drop(columns="price")
    outcome = select(table, "--target", "label", "-k", "1,2", "--cv", 3, "--method", "anova")
    assert outcome.code == 0, outcome.err
    assert "ROC AUC in 3 folds" in outcome.out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<figcaption>ROC AUC</figcaption>" in page


def test_a_smaller_number_than_that_of_the_best_score_is_explained(select, frame, tmp_path):
    table = frame.drop(columns="label")
    outcome = select(table, "--target", "price", "-k", "1,2,3,5", "--cv", 3, "--method", "lasso")
    assert outcome.code == 0, outcome.err
    found = json.loads((tmp_path / "out/metrics.json").read_text())["cross_validation"]
    best = found["n_features"][int(np.argmax(found["mean"]))]
    assert (best != found["chosen"]) == ("within one standard error of the best" in outcome.out)
    told = reason_for(found | {"mean": [1, 2, 3, 4], "chosen": 2})
    assert told.startswith("2 is the smallest number within one standard error of the best score")
    assert told.endswith("use -k 5.")
    assert reason_for(found | {"mean": [1, 2, 3, 4], "chosen": 5}) is None
    assert reason_for(found | {"mean": [1, 2, 3, 4], "chosen": 2, "rule": "best"}) is None
