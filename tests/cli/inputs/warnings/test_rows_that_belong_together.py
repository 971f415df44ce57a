"""Warnings about rows that are not independent, and groups of rows by time."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.inputs.warnings.group_hint import columns_of_groups
from ipcae.cli.inputs.warnings.time_order import in_time_order, periods

ROWS = np.arange(60)


def hinted(values, name="x"):
    table = pd.DataFrame({name: values, "age": np.random.default_rng(0).normal(size=len(values))})
    return columns_of_groups(DescribedColumns.of(table, "table"))


@pytest.mark.parametrize(
    "name", ["patient_id", "Patienten-ID", "PatientID", "id", "subject", "machine no"]
)
def test_repeated_numbers_with_the_name_of_an_id_are_groups(name):
    assert hinted(ROWS // 3, name) == [name]


@pytest.mark.parametrize("name", ["dose", "fluid", "valid", "subjective", "personality"])
def test_repeated_numbers_with_another_name_are_not(name):
    assert hinted(ROWS // 3, name) == []


def test_values_that_differ_few_values_fractions_and_gaps_are_not_groups():
    assert hinted(ROWS[::-1] * 7 % 61, "id") == []
    assert hinted(ROWS % 2, "id") == []
    assert hinted(ROWS // 3 + 0.5, "id") == []
    assert hinted(np.where(ROWS == 4, np.nan, ROWS // 3), "id") == []


def test_repeated_codes_are_groups_whatever_their_name():
    codes = [f"P{row // 2:03}" for row in range(120)]
    assert hinted(codes) == ["x"]
    assert hinted([f"{code} was here" for code in codes]) == []


def test_the_option_for_groups_is_recommended_unless_it_is_used(select, frame):
    frame["patient id"] = ROWS // 3
    said = "patient id seems to say which rows belong together"
    outcome = select(frame, "--target", "label")
    assert said in outcome.err
    assert "use --groups 'patient id'" in outcome.err
    assert said not in select(frame, "--target", "label", "--groups", "patient id", "--force").err


@pytest.fixture
def drifting():
    """Rows of sensors that drift, and of one number that follows them."""
    random = np.random.default_rng(0)
    sensors = random.normal(size=(300, 6)).cumsum(0)
    return pd.DataFrame(sensors, columns=list("abcdef")).assign(out=sensors[:, 0] + sensors[:, 1])


def test_rows_of_a_time_series_are_noticed_and_shuffled_or_sorted_ones_are_not(drifting):
    def noticed(table):
        return in_time_order(table[list("abcdef")].to_numpy(), table["out"])

    assert noticed(drifting)
    assert noticed(drifting.assign(out=drifting.out > drifting.out.median()))
    assert not noticed(drifting.sample(frac=1, random_state=0))
    assert not noticed(drifting.sort_values("out"))
    assert not noticed(drifting.sort_values("a"))
    assert not noticed(drifting[:40])


def test_a_time_series_is_pointed_out_unless_groups_are_given(select, drifting, tmp_path):
    drifting["when"] = pd.date_range("2024-01-01", periods=300, freq="h").astype(str)
    said = "neighboring rows are alike, as in a time series"
    assert said in select(drifting, "--target", "out").err
    outcome = select(drifting, "--target", "out", "--groups", "when", "--force")
    assert said not in outcome.err
    assert 'The groups are 20 successive periods, by "when".' in outcome.out
    metrics = json.loads((tmp_path / "out/metrics.json").read_text())
    assert metrics["held_out_rows"] == 4 * 15


def test_periods_are_in_the_order_of_time_and_only_of_times_that_differ():
    days = pd.Series([f"{day}.1.2024" for day in range(30, 0, -1)] + ["1.2.2024 7:00"] * 10)
    assert periods(days)[[0, 29, 39]].tolist() == [14, 0, 19]
    assert periods(days.str[:1]) is None
    assert periods(pd.Series(np.arange(60))) is None
    assert periods(pd.Series(["2024-01-01", "2024-01-02"] * 30)) is None
