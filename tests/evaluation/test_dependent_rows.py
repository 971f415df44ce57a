"""Rows that depend on each other are noticed by chance_test, as on the command line."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from ipcae import ClassificationSelector, RegressionSelector, chance_test
from ipcae.errors import InputError, TrainingWarning
from ipcae.tables.dependence import dependence_of
from ipcae.tables.dependence.repeated_rows import repeated_rows
from ipcae.tables.dependence.time_order import time_order_of

SELECTOR = RegressionSelector(2, method="lasso", max_epochs=20, decoder=(8,), random_state=0)


def overlapping_returns(n_rows=300, window=20, seed=0):
    """Returns of a month on every day, of six assets that are independent of each other."""
    daily = np.random.default_rng(seed).normal(size=(n_rows + window, 6))
    sums = daily.cumsum(0)
    return sums[window:] - sums[:-window]


def test_overlapping_returns_of_noise_are_not_called_better_than_chance_without_a_caveat():
    returns = overlapping_returns()
    with pytest.warns(TrainingWarning, match="neighboring rows are alike, as in a time series"):
        test = chance_test(SELECTOR, returns[:, :5], returns[:, 5])
    assert test.p_value <= test.level  # rows between training rows are easy to predict
    assert test.dependent
    assert test.sentence.startswith("Better than chance only if rows are independent, but they do")
    periods = np.arange(300) * 20 // 300
    by_period = chance_test(SELECTOR, returns[:, :5], returns[:, 5], groups=periods)
    assert not by_period.dependent
    assert not by_period.better


def test_shuffled_rows_are_put_in_the_order_of_their_dates():
    returns = pd.DataFrame(overlapping_returns(), columns=list("abcdef"))
    returns["day"] = pd.date_range("2024-01-01", periods=300).astype(str)
    shuffled = returns.sample(frac=1, random_state=0)
    X = shuffled.drop(columns="f")
    assert dependence_of(X, shuffled["f"]).time_order == "day"
    assert not dependence_of(X.drop(columns="day"), shuffled["f"])


def test_repeated_rows_groups_and_identifiers_are_noticed():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), random.normal(size=60)
    assert not dependence_of(X, y)
    assert dependence_of(np.vstack([X, X[:9]]), np.append(y, y[:9])).n_repeated == 9
    machine = np.arange(60) % 20
    assert dependence_of(np.column_stack([X, machine]), y[:20][machine]).same_target == "4"
    named = pd.DataFrame(X).assign(patient_id=machine)
    assert dependence_of(named, y).identifiers == ("patient_id",)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_plate_that_differs_in_the_target_and_in_many_columns_is_noticed(n_classes):
    random = np.random.default_rng(0)
    plate = np.arange(180) // 30
    usual = random.random(180) < 0.6
    y = np.where(usual, plate % n_classes, random.integers(0, n_classes, 180))
    X = pd.DataFrame(random.normal(size=(180, 8)) + random.normal(size=(6, 8))[plate])
    order = random.permutation(180)
    table, y = X.assign(Plate=plate).iloc[order], y[order]
    assert dependence_of(table, y).batch == "Plate"
    assert dependence_of(table.assign(Plate=[f"p{p}" for p in table.Plate]), y).batch == "Plate"
    assert dependence_of(table, random.permutation(y)).batch is None  # a balanced design
    independent = pd.DataFrame(random.normal(size=(180, 8))).assign(Plate=table.Plate.to_numpy())
    assert dependence_of(independent, y).batch is None
    assert dependence_of(table.rename(columns={"Plate": "shape"}), y).batch is None


def test_rows_of_a_named_group_are_one_sign_and_not_several():
    random = np.random.default_rng(0)
    person = np.arange(120) // 6
    X = pd.DataFrame(random.normal(size=(20, 4))[person] + 0.1 * random.normal(size=(120, 4)))
    X.columns = list("abcd")
    y = random.normal(size=20)[person]
    visits = X.assign(visit=[f"P{each}-{row % 6}" for row, each in enumerate(person)])
    assert dependence_of(visits, y).beginnings[0] == "visit"
    assert dependence_of(X, y).time_order == ""
    assert list(dependence_of(visits.assign(person=person), y).signs) == ["identifiers"]
    assert list(dependence_of(visits.assign(who=person), y).signs) == ["same_target"]
    # Neighbors that are alike, but are rows of different groups, are a sign of their own.
    steps = random.normal(size=(120, 5)).cumsum(0)
    series = pd.DataFrame(steps[:, :4]).add_prefix("x").assign(person=np.arange(120) % 20)
    assert list(dependence_of(series, steps[:, 4]).signs) == ["identifiers", "time_order"]


def test_one_of_several_targets_is_enough_and_times_of_events_have_no_order():
    returns = overlapping_returns()
    noise = np.random.default_rng(1).normal(size=300)
    assert time_order_of(returns[:, :5], np.column_stack([noise, returns[:, 5]])) == ""
    assert time_order_of(returns[:, :5], noise) is None
    assert not dependence_of(returns[:, :5], returns[:, 5], ordered=False)


@pytest.mark.parametrize("rows", [[["a", 1.0]] * 3, sparse.eye(4).tocsr(), np.zeros(3)])
def test_other_tables_are_not_searched(rows):
    assert not dependence_of(rows)


def test_rows_are_repeated_if_all_of_their_values_are():
    random = np.random.default_rng(0)
    for n_columns in (0, 1, 3, 30):
        rows = pd.DataFrame(random.choice([0.0, 1.0, np.nan], size=(60, n_columns)))
        rows = pd.concat([rows, rows[20:40], rows[:3].assign(last=1)]).assign(
            name=["a", None] * 41 + ["b"]
        )
        assert repeated_rows(rows).tolist() == rows.duplicated().tolist()


def test_rounded_numbers_of_few_columns_that_agree_by_chance_are_not_repeated_rows():
    height = np.random.default_rng(0).normal(170, 10, size=400).round(1)
    table = pd.DataFrame({"height": height, "sex": np.arange(400) % 2})
    assert table.duplicated().sum() > 20
    assert dependence_of(table, height > 170).n_repeated == 0
    copies = pd.concat([table.assign(weight=np.random.default_rng(1).normal(size=400))] * 2)
    assert dependence_of(copies, np.tile(height > 170, 2)).n_repeated == 400


def test_a_table_without_usable_columns_is_refused_by_name():
    names = pd.DataFrame({"name": [f"P{row}x" for row in range(80)]})
    with pytest.raises(InputError, match="X has no columns that can be used"):
        chance_test(ClassificationSelector(1), names, np.arange(80) // 4 % 2)
