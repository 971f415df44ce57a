import numpy as np
import pandas as pd
import pytest

from ipcae.cli.detection import classes_of, detect_task


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
    ],
)
def test_the_task_is_told_from_the_target(values, task):
    target = pd.Series(values, name="target")
    assert detect_task(target).name == task
    assert detect_task(target, "regression").name == "regression"


def test_the_reason_is_told(select, frame):
    table = frame.assign(grade=[1, 2, 3] * 20)
    outcome = select(table, "--target", "grade", "--drop", "label")
    reason = 'classification, because "grade" holds 3 different whole numbers'
    assert f"{reason} (--task regression if they are amounts)." in outcome.out
    outcome = select(
        table, "--target", "grade", "--drop", "label", "--task", "regression", "--force"
    )
    assert "Task: regression, because --task says so." in outcome.out


def test_labels_keep_their_type_without_needless_decimals():
    for values, kind in (([1.0, 2.0] * 2, "i"), ([0.5, 2.0] * 2, "f"), ([True, False] * 2, "b")):
        labels = classes_of(pd.Series(values), "t")
        assert labels.dtype.kind == kind
        assert labels.tolist() == values
    assert classes_of(pd.Series(["a", "b"] * 2), "t").tolist() == ["a", "b"] * 2
