"""Warnings about rows that are not independent, and groups of rows by time."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.tables.dependence import dependence_of
from ipcae.tables.dependence.group_columns import column_of_groups, columns_of_groups
from ipcae.tables.dependence.near_copies import count_near_copies
from ipcae.tables.dependence.time_order import in_time_order, periods

ROWS = np.arange(60)


def hinted(values, name="x"):
    table = pd.DataFrame({name: values, "age": np.random.default_rng(0).normal(size=len(values))})
    described = DescribedColumns.of(table, "table")
    return columns_of_groups(described.frame, described.encoding, described.coded)


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


def test_repeated_codes_are_groups_only_if_their_rows_are_alike(select, frame):
    """Codes of a diagnosis or of a manager say nothing about which rows belong together."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(120, 4)), columns=list("abcd"))
    table["chief"] = [f"emp_{each:03}" for each in random.integers(0, 40, 120)]
    table["label"] = np.where(table["a"] + random.normal(scale=0.3, size=120) > 0, "yes", "no")
    outcome = select(table, "--target", "label")
    assert "chief" not in outcome.err
    assert "only if rows are independent" not in outcome.out
    person = np.arange(120) // 3
    table[list("abcd")] += 2 * random.normal(size=(40, 4))[person]
    table["label"] = np.where((random.normal(size=40) > 0)[person], "yes", "no")
    table.loc[::7, "label"] = "no"
    table["chief"] = [f"emp_{each:03}" for each in person]
    outcome = select(table, "--target", "label", "--force")
    assert 'rows with the same "chief" are alike' in outcome.err
    assert "Use --groups chief." in outcome.err


@pytest.mark.parametrize("dropped", [False, True])
def test_rows_of_a_day_that_share_a_number_and_a_shock_are_alike(select, dropped):
    """Returns of many stocks on the same days, and the state of the market on these days."""
    random = np.random.default_rng(0)
    day = np.tile(np.arange(40), 10)
    market, shock = random.normal(size=(2, 40))[:, day]
    table = pd.DataFrame(random.normal(size=(400, 4)), columns=list("abcd")).assign(market=market)
    table["day"] = pd.Series(pd.bdate_range("2024-01-01", periods=40).astype(str))[day].to_numpy()
    table["out"] = shock + random.normal(size=400)
    drop = ("--drop", "day") if dropped else ()
    outcome = select(table, "--target", "out", *drop)
    assert 'rows with the same "day" are alike' in outcome.err
    table["out"] = random.normal(size=400)
    assert "are alike" not in select(table, "--target", "out", *drop, "--force").err


@pytest.mark.parametrize("given", [(), ("--groups", "subject")])
def test_subtracting_means_is_advised_if_people_hide_what_differs_within_them(select, given):
    """Brain waves of people who are alert and drowsy in turn."""
    random = np.random.default_rng(0)
    person = np.arange(240) // 20
    waves = 2 * random.normal(size=(12, 6))[person] + random.normal(size=(240, 6))
    drowsy = random.random(240) < 0.5
    waves[:, 3] += drowsy
    table = pd.DataFrame(waves).add_prefix("w").assign(subject=person, state=drowsy)
    said = 'differences from the mean of each "subject" may predict it better'
    assert said in select(table, "--target", "state", *given).err
    of_people = table.assign(state=person % 2 == 0)
    assert said not in select(of_people, "--target", "state", *given, "--force").err
    centered = table.filter(like="w") - table.filter(like="w").groupby(person).transform("mean")
    centered = centered.assign(subject=person, state=drowsy)
    assert said not in select(centered, "--target", "state", *given, "--force").err


@pytest.mark.parametrize("seed", range(20))
def test_labels_at_random_are_no_groups(seed):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.lognormal(sigma=2, size=(200, 100)))
    X["code"] = [f"P{each}" for each in random.integers(0, 40, 200)]
    X["day"] = [f"2024-01-{1 + each:02}" for each in random.integers(0, 20, 200)]
    assert not dependence_of(X, X[0] + random.normal(size=200))
    assert not dependence_of(X, random.integers(0, 3, 200))
    assert not dependence_of(X)


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


def series(rho, n_rows, n_columns, seed):
    """Return columns in which a row is ``rho`` times the row before it, plus noise."""
    values = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    for row in range(1, n_rows):
        values[row] += rho * values[row - 1]
    return values


def test_a_few_columns_that_drift_as_the_target_does_are_enough():
    drifting = series(0.95, 300, 4, seed=1)
    noise = np.random.default_rng(2).normal(size=(300, 30))
    target = drifting[:, 0]
    assert in_time_order(np.hstack([noise, drifting[:, 1:]]), target)
    clock = np.arange(300)[:, None] * 0.5
    assert in_time_order(np.hstack([clock, noise, drifting[:, 1:]]), target)
    assert not in_time_order(noise, target)
    assert not in_time_order(drifting[:, 1:], noise[:, 0])


@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_in_the_order_of_the_target_are_no_time_series(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 40))
    y = 2 * X[:, 0] + X[:, 1] + random.normal(scale=0.1, size=300)
    nearly = np.argsort(y + random.normal(scale=0.2, size=300))
    assert not in_time_order(X[nearly], y[nearly])
    kinds = np.array(["mid", "low", "high"])[np.digitize(y, [-1, 1])]
    by_kind = np.argsort(np.digitize(y, [-1, 1]), kind="stable")
    assert not in_time_order(X[by_kind], kinds[by_kind])


def test_a_time_series_is_pointed_out_unless_groups_are_given(select, drifting, tmp_path):
    drifting["when"] = pd.date_range("2024-01-01", periods=300, freq="h").astype(str)
    drifting = drifting.sample(frac=1, random_state=0)  # the dates tell the order
    said = "neighboring rows are alike, as in a time series"
    outcome = select(drifting, "--target", "out")
    assert said in outcome.err
    assert "Use --groups when." in outcome.err
    outcome = select(drifting, "--target", "out", "--groups", "when", "--force")
    assert said not in outcome.err
    assert 'The groups are 20 successive periods, by "when".' in outcome.out
    metrics = json.loads((tmp_path / "out/metrics.json").read_text())
    assert metrics["held_out_rows"] == 4 * 15


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_trend_of_the_target_and_of_a_column_is_noticed_if_rows_have_dates(seed):
    random = np.random.default_rng(seed)
    noise, time = random.normal(size=(400, 8)), np.arange(400)
    walk = random.normal(size=(400, 1)).cumsum(0)
    y = time / 60 + random.normal(size=400)
    assert in_time_order(np.hstack([noise, walk]), y, dated=True)
    assert not in_time_order(np.hstack([noise, walk]), y)
    assert not in_time_order(np.hstack([noise, walk]), noise[:, 0], dated=True)
    assert not in_time_order(noise, y, dated=True)
    late = (time + random.normal(scale=20, size=400) > 200).astype(float)
    assert not in_time_order(noise + 2 * late[:, None], late, dated=True)


@pytest.mark.parametrize("seed", range(5))
def test_alarms_of_a_log_are_noticed_although_their_neighbors_are_less_alike(seed):
    log = series(0.9, 3000, 7, seed=seed)
    alarm = log[:, 6] > np.quantile(log[:, 6], 0.75)
    assert in_time_order(log[:, :6], alarm, dated=True)
    independent = np.random.default_rng(seed).normal(size=3000) > 1
    assert not in_time_order(log[:, :6], independent, dated=True)
    assert not in_time_order(np.random.default_rng(seed).normal(size=(3000, 6)), alarm, dated=True)


def test_dates_with_slashes_tell_the_order_if_days_and_months_cannot_be_confused(select, drifting):
    moments = pd.Series(pd.date_range("2024-01-01", periods=300, freq="h"))
    for written in ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"):
        assert periods(moments.dt.strftime(written)).tolist() == periods(moments).tolist()
    days = pd.Series(pd.date_range("2024-01-01", periods=300, freq="D"))
    assert periods(days.dt.strftime("%d/%m/%Y")).tolist() == periods(days).tolist()
    confused = pd.Series(
        [f"{a}/{b}/{c}" for a in (1, 2) for b in (4, 5) for c in range(2000, 2020)]
    )
    assert periods(confused) is None
    drifting["when"] = moments.dt.strftime("%d/%m/%Y %H:%M")
    outcome = select(drifting, "--target", "out", "--groups", "when")
    assert 'The groups are 20 successive periods, by "when".' in outcome.out


def test_the_verdict_on_rows_that_depend_on_each_other_has_a_condition(ipcae, tmp_path):
    noise = pd.DataFrame(series(0.98, 300, 6, seed=3), columns=list("abcdef"))
    noise.to_csv(tmp_path / "noise.csv", index=False)
    hasty = ("--method", "lasso", "--epochs", 20, "--runs", 1, "--out", tmp_path / "out")
    outcome = ipcae("select", tmp_path / "noise.csv", "--target", "f", "-k", 3, *hasty)
    said = "Better than chance only if rows are independent, but they do not seem to be (p"
    assert said in outcome.out
    chance = json.loads((tmp_path / "out/metrics.json").read_text())["chance"]
    assert chance["dependent"]
    page = (tmp_path / "out/report.html").read_text()
    assert '<p class="verdict bad"><b>Better than chance only if rows' in page
    ipcae("select", tmp_path / "noise.csv", "--target", "f", "-k", "1,3", *hasty, "--force")
    assert json.loads((tmp_path / "out/metrics.json").read_text())["chance"]["dependent"]


def test_periods_are_in_the_order_of_time_and_only_of_times_that_differ():
    days = pd.Series([f"{day}.1.2024" for day in range(30, 0, -1)] + ["1.2.2024 7:00"] * 10)
    assert periods(days)[[0, 29, 39]].tolist() == [14, 0, 19]
    assert periods(days.str[:1]) is None
    assert periods(pd.Series(np.arange(60))) is None
    assert periods(pd.Series(["2024-01-01", "2024-01-02"] * 30)) is None


def test_a_few_numbers_that_rise_with_the_class_are_a_leak_and_no_groups(select, frame):
    frame["label"] = np.where(ROWS % 2, "ill", "well")
    stage = (ROWS * 7 % 3) + 4 * (ROWS % 2)
    outcome = select(frame.assign(stage=stage), "--target", "label")
    assert "Likely leak: stage" in outcome.err
    assert "Use --groups" not in outcome.err
    ward = np.array([3, 1, 5, 2, 4, 6, 8, 7])[(ROWS // 2 % 4) * 2 + ROWS % 2]
    outcome = select(frame.assign(ward=ward), "--target", "label", "--force")
    assert "Use --groups ward." in outcome.err


def test_many_numbers_in_random_order_that_rise_with_the_class_are_no_groups():
    age = np.random.default_rng(0).integers(20, 90, 500)
    assert column_of_groups(pd.DataFrame({"age": age}), age > 64) is None
    person = np.sort(age)
    assert column_of_groups(pd.DataFrame({"person": person}), person > 64) == "person"


def test_the_month_of_a_date_is_not_the_name_of_a_row():
    walk = np.random.default_rng(0).normal(size=(300, 3)).cumsum(0)
    table = pd.DataFrame(walk[:, :2], columns=["a", "b"])
    table["day"] = pd.date_range("2024-01-01", periods=300).astype(str)
    found = dependence_of(table, walk[:, 2])
    assert found.beginnings is None
    assert found.time_order == "day"


def test_values_in_place_of_column_names_are_pointed_out(ipcae, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1.5,2,3,yes\n2.5,4,5,no\n")
    outcome = ipcae("select", path, "--target", "label", "-k", 1)
    assert "If these are values, add a first line with the column names." in outcome.err


@pytest.fixture
def replicates():
    """Three measurements of each of 30 samples, in random order, and a class that is noise."""
    random = np.random.default_rng(0)
    sample = np.repeat(np.arange(30), 3)
    values = random.normal(size=(30, 8))[sample] + random.normal(scale=0.2, size=(90, 8))
    table = pd.DataFrame(values, columns=list("abcdefgh"))
    names = [f"P{i:02}_rep{row % 3 + 1}" for row, i in enumerate(sample)]
    table.insert(0, "sample", names)
    table["label"] = random.permutation(np.repeat(["ill", "well"], 15))[sample]
    return table.sample(frac=1, random_state=1)


def test_replicates_are_noticed_by_their_names_and_can_be_groups(select, replicates, tmp_path):
    outcome = select(replicates, "--target", "label")
    assert 'rows whose values of "sample" begin alike (P' in outcome.err
    assert "Use --groups sample." in outcome.err
    outcome = select(replicates, "--target", "label", "--groups", "sample", "--force")
    assert 'The groups are 30 beginnings of "sample", such as "P' in outcome.out
    assert "begin alike" not in outcome.err
    assert json.loads((tmp_path / "out/metrics.json").read_text())["held_out_rows"] == 18


def test_a_batch_that_tells_the_class_is_pointed_out_unless_it_is_the_group(select):
    random = np.random.default_rng(0)
    site = np.arange(160) // 20
    table = pd.DataFrame(random.normal(size=(160, 5)) + random.normal(size=(8, 5))[site])
    table = table.add_prefix("c").assign(site=site)
    table["label"] = np.where(random.random(160) < 0.8, site % 2, 1 - site % 2)
    table = table.sample(frac=1, random_state=0)
    said = 'the target and many columns differ with "site"'
    assert f"{said}: columns that only distinguish" in select(table, "--target", "label").err
    assert said not in select(table, "--target", "label", "--groups", "site", "--force").err


def test_replicates_are_noticed_without_names(select, replicates):
    table = replicates.drop(columns="sample")
    outcome = select(table, "--target", "label")
    assert "of 90 rows are almost equal to one to three others" in outcome.err
    assert "Use --groups with a column that identifies rows that belong together" in outcome.err
    y = np.random.default_rng(2).permutation(table["label"])  # differs among copies
    assert "almost equal" not in select(table.assign(label=y), "--target", "label", "--force").err


def test_classes_of_a_few_similar_rows_are_no_replicates():
    kind = np.repeat(np.arange(12), 4)
    values = 5 * np.random.default_rng(0).normal(size=(12, 20))[kind]
    values += np.random.default_rng(1).normal(size=(48, 20))
    assert count_near_copies(values, kind) == 0
    assert count_near_copies(values, kind % 2) > 40


@pytest.mark.parametrize("n_factors", [1, 2, 3, 30])
def test_rows_of_a_few_factors_are_no_replicates(n_factors):
    random = np.random.default_rng(n_factors)
    factors = random.normal(size=(200, n_factors))
    spectra = factors @ random.normal(size=(n_factors, 40)) + random.normal(
        scale=0.01, size=(200, 40)
    )
    assert count_near_copies(spectra, factors[:, 0]) == 0


def test_rows_of_a_number_are_noticed_if_they_are_alike_and_not_if_a_number_explains_them(
    select, replicates
):
    number = replicates["sample"].str[1:3].astype(int)
    replicates["label"] = np.random.default_rng(3).normal(size=30)[number]
    replicates["label"] += np.random.default_rng(4).normal(scale=0.2, size=90)
    numbered = replicates.assign(sample=number)
    outcome = select(numbered, "--target", "label")
    assert 'rows with the same "sample" are alike' in outcome.err
    assert "Use --groups sample." in outcome.err
    explained = numbered.assign(label=number + numbered["label"])
    assert "are alike" not in select(explained, "--target", "label", "--force").err


def test_names_of_rows_without_a_column_name_are_looked_at_too(select, replicates):
    outcome = select(replicates.rename(columns={"sample": ""}), "--target", "label")
    assert "rows whose names begin alike (P" in outcome.err
    assert "Name the first column in the file, and use --groups with this name." in outcome.err


def test_lists_and_records_beside_names_are_ignored(select, replicates, tmp_path):
    rows = replicates.assign(
        record=[{"a": row} for row in range(90)], many=[[row] for row in range(90)]
    )
    rows.to_parquet(tmp_path / "table.parquet")
    outcome = select(tmp_path / "table.parquet", "--target", "label")
    assert outcome.code == 0
    assert "begin alike (P" in outcome.err
    grouped = ("--target", "label", "--groups", "record", "--force")
    outcome = select(tmp_path / "table.parquet", *grouped)
    assert outcome.code == 2
    assert 'the groups "record"' in outcome.err


def test_independent_rows_with_similar_names_are_no_replicates(select, replicates):
    random = np.random.default_rng(2)
    replicates[list("abcdefgh")] = random.normal(size=(90, 8))
    assert "begin alike" not in select(replicates, "--target", "label").err


def test_groups_of_single_rows_are_pointed_out_and_rows_are_checked_without(select, replicates):
    replicates["number"] = [f"x{row}" for row in range(90)]
    outcome = select(replicates, "--target", "label", "--groups", "number")
    assert 'all values of "number" (--groups) differ' in outcome.err
    assert "begin alike" in outcome.err


def test_dates_of_which_day_and_month_are_unclear_cannot_be_groups(select, frame):
    frame["label"] = np.where(ROWS % 2, "ill", "well")
    frame["when"] = [f"{a}/{b}/{c}" for a in (1, 2, 3) for b in (4, 5) for c in range(2000, 2010)]
    outcome = select(frame, "--target", "label", "--groups", "when")
    assert outcome.code == 2
    assert "cannot be used: dates must be written as 2024-01-31" in outcome.err
