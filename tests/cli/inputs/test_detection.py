"""Detecting the task from the target column, and the types of labels."""

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.detection import classes_of, detect_task
from ipcae.estimators import load


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 50, "classification"),
        ([True, False] * 50, "classification"),
        (pd.Categorical([1.5, 2.5] * 50), "classification"),
        ([0, 1] * 50, "classification"),
        ([0.0, 1.0] * 5, "classification"),
        (list(range(10)) * 10, "classification"),
        (list(range(10)) * 9, "regression"),
        (list(range(26)) * 100, "classification"),
        (list(range(40)) * 100, "regression"),
        (np.linspace(0, 1, 100), "regression"),
        ([0.5, 1.5] * 50, "regression"),
        ([0] * 70 + [1] * 20 + [2] * 9 + [7], "regression"),  # counts of rare events
        ([0] * 70 + [1] * 20 + [2] * 9 + [3], "regression"),
        ([0] * 70 + [1] * 15 + [2] * 10 + [3] * 5, "classification"),
        ([0] * 40 + [1] * 35 + [2] * 22 + [3] * 3, "classification"),
        ([0] * 70 + [1] * 27 + [2] * 3, "classification"),
        ([10] * 50 + [20] * 40 + [30] * 10, "classification"),
    ],
)
def test_the_task_is_detected_from_the_target(values, task):
    target = pd.Series(values, name="target")
    assert detect_task(target).name == task
    assert detect_task(target, "regression").name == "regression"


def test_the_reason_for_the_task_is_shown(select, frame):
    table = frame.assign(grade=[1, 2, 3] * 20)
    outcome = select(table, "--target", "grade", "--drop", "label")
    reason = 'classification, because "grade" has 3 distinct integers'
    assert f"{reason} (use --task regression if the target is an amount or a count)." in outcome.out
    outcome = select(
        table, "--target", "grade", "--drop", "label", "--task", "regression", "--force"
    )
    assert "Task: regression, because --task is regression." in outcome.out


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ([0, 1] * 50, ""),
        ([1, 2, 3, 4, 5] * 20, "use --task regression if the target is an amount or a count"),
        (range(12), "use --task classification if the target is categorical"),
        (range(31), ""),
    ],
)
def test_another_task_is_proposed_only_where_it_may_be_meant(values, hint):
    assert detect_task(pd.Series(values, name="target")).hint == hint


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([3, 7], np.array([3, 7])),
        (pd.array([3, 7], dtype="Int32"), np.array([3, 7])),
        (pd.array([3, 7], dtype="uint8"), np.array([3, 7], dtype=np.uint64)),
        # Integers that a missing value in another row turned into floats.
        ([1.0, 2.0], np.array([1, 2])),
        ([0.5, 2.0], np.array(["0.5", "2.0"], dtype="<U32")),
        ([True, False], np.array([True, False])),
        (pd.array([True, False], dtype="boolean"), np.array([True, False])),
        (["sick", "well"], np.array(["sick", "well"])),
        (pd.Categorical(["u", "v"]), np.array(["u", "v"])),
    ],
)
def test_labels_keep_their_type(values, labels):
    target = pd.concat([pd.Series(values)] * 2)
    found = classes_of(target, "table.csv")
    np.testing.assert_array_equal(found, np.tile(labels, 2), strict=True)


@pytest.mark.parametrize("labels", [[3, 7, 11], [True, False, True], ["3", "seven", "well"]])
def test_labels_keep_their_type_from_select_to_predict_and_load(select, ipcae, tmp_path, labels):
    """What stands in the table is what ``predict``, ``score`` and the CSV say."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=list("abcd"))
    y = pd.Series(labels * 20, name="target")
    table = X.assign(target=y)
    code, _, err = select(table, "--target", "target", "--task", "classification", "-q")
    assert code == 0, err
    model, out = tmp_path / "out" / "model.safetensors", tmp_path / "predictions.csv"

    selector = load(model)
    assert selector.classes_.dtype.kind == np.array(labels).dtype.kind
    assert selector.classes_.tolist() == sorted(set(labels))
    assert 0 <= selector.score(X, y) <= 1
    assert ipcae("predict", model, tmp_path / "table.csv", "--out", out, "--proba").code == 0
    predictions = pd.read_csv(out)
    assert predictions.prediction.dtype == pd.read_csv(tmp_path / "table.csv").target.dtype
    assert predictions.prediction.tolist() == selector.predict(X).tolist()
    assert list(predictions)[1:] == [f"probability_{label}" for label in sorted(set(labels))]


def test_classes_that_are_fractions_are_text(select, tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=list("abcd"))
    table = X.assign(target=[0.5, 1.5, 2.5] * 20)
    assert select(table, "--target", "target", "--task", "classification", "-q").code == 0
    selector = load(tmp_path / "out" / "model.safetensors")
    assert selector.classes_.tolist() == ["0.5", "1.5", "2.5"]


def test_texts_that_all_differ_are_not_recommended_for_regression(select, frame):
    outcome = select(frame.assign(who=[f"P{row}" for row in range(60)]), "--target", "who")
    assert outcome.code == 2
    assert 'such as "P0": expected classes' in outcome.err
    assert "or convert it to numbers" in outcome.err
    assert "--task regression" not in outcome.err


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_dates_are_no_classes_unless_asked_for(select, frame, form):
    days = pd.date_range("2024-01-01", periods=20).strftime(form)
    table = frame.assign(when=list(days) * 3)
    for task in ([], ["--task", "regression"]):
        outcome = select(table, "--target", "when", *task)
        assert outcome.code == 2
        assert f'the target "when" has dates, such as "{days[0]}": expected numbers' in outcome.err
    assert detect_task(table["when"], "classification").name == "classification"


def test_durations_are_predicted_in_days(select, frame):
    times = [f"{hours}:30:00" for hours in range(60)]
    outcome = select(frame.assign(runtime=times), "--target", "runtime", "--drop", "label")
    assert 'Task: regression, because "runtime" has 60 distinct numbers, in days.' in outcome.out
    shifts = frame.assign(shift=["6:00", "14:00", "22:00"] * 20)
    outcome = select(shifts, "--target", "shift", "--drop", "label", "--force")
    assert "Task: classification" in outcome.out


def test_limits_in_the_target_are_named(select, numbers, tmp_path):
    texts = numbers["price"].astype(str)
    texts[:3], texts[3] = "<0.5", None
    table = numbers.assign(price=texts)
    outcome = select(table, "--target", "price", "--missing", "impute")
    warning = 'warning: the target "price" has 3 values with "<", ">" or "+", read as the limit'
    assert outcome.err.count(warning) == 1


def test_a_target_that_is_far_from_all_others_is_named(select, numbers):
    numbers.loc[7, "price"] = 1e6
    outcome = select(numbers, "--target", "price")
    assert outcome.code == 0
    warning = 'warning: the target "price" has 1 value far from the others (1e+06)'
    assert outcome.err.count(warning) == 1
    assert "or use --loss huber" in outcome.err
    assert "far from" not in select(numbers, "--target", "price", "--loss", "huber", "--force").err
