"""A column of row weights on the command line."""

import json

import numpy as np
import pytest

from ipcae import load


def test_rows_of_weight_zero_are_left_out(select, numbers, tmp_path):
    weights = np.arange(60) % 3
    outcome = select(numbers.assign(w=weights), "--target", "price", "--weights", "w")
    assert outcome.code == 0
    assert "20 rows of weight 0 are left out.\n" in outcome.out
    assert "40 rows, 6 columns to select from" in outcome.out
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert settings["arguments"]["weights"] == "w"


def test_the_report_can_be_rewritten(select, ipcae, numbers, tmp_path):
    table = numbers.assign(w=np.arange(60) % 3)
    assert select(table, "--target", "price", "--weights", "w").code == 0
    assert ipcae("report", tmp_path / "out").err == ""


@pytest.mark.parametrize("more", [(), ("-k", "2,3", "--cv", 2), ("--stability", 2, "--consensus")])
def test_weights_change_what_is_learned(select, numbers, tmp_path, more):
    """A row that counts thousands of times decides the predictions."""
    weights = np.where(numbers.a > 0, 1000.0, 0.001)
    table = numbers.assign(w=weights, price=np.where(numbers.a > 0, 5.0, -5.0) + 0.01 * numbers.b)
    predictions = []
    for given in ("--drop", "--weights"):
        outcome = select(table, "--target", "price", given, "w", *more, "--force")
        assert outcome.code == 0
        model = load(tmp_path / "out/model.safetensors")
        predictions.append(model.predict(numbers.drop(columns="price")).mean())
    assert predictions[1] > predictions[0] + 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (-1.0, "is missing, infinite or negative in 60 of 60 rows: expected a number in every row"),
        (np.nan, "is missing, infinite or negative in 60 of 60 rows"),
        ("much", "is not numeric: expected numbers"),
        (0, "is 0 in every row"),
    ],
)
def test_bad_weights_are_refused(select, numbers, values, says):
    outcome = select(numbers.assign(w=values), "--target", "price", "--weights", "w")
    assert outcome.code == 2
    assert says in outcome.err


def test_the_target_cannot_be_the_weights(select, numbers):
    outcome = select(numbers, "--target", "price", "--weights", "price")
    assert outcome.code == 2
    assert '"price" is the --target: it cannot be --weights as well.' in outcome.err


def test_a_mistyped_column_is_named(select, numbers):
    outcome = select(numbers.assign(weight=1.0), "--target", "price", "--weights", "wieght")
    assert outcome.code == 2
    assert 'did you mean "weight"?' in outcome.err
