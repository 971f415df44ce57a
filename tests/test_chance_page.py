"""The tables of docs/chance.md are what the benchmarks measured."""

from pathlib import Path

import pandas as pd
from scipy.stats import binom

from benchmarks.chance import noise_case, noise_table, with_tables
from benchmarks.chance_kinds import KINDS, with_kinds
from benchmarks.false_discoveries import RATES, planted_table, with_table
from benchmarks.intervals import with_intervals

ROOT = Path(__file__).resolve().parents[1]


def test_the_tables_are_those_of_the_rows():
    page = (ROOT / "docs" / "chance.md").read_text(encoding="utf-8")
    assert with_table(with_tables(with_kinds(with_intervals(page)))) == page


def test_noise_is_called_better_than_chance_no_more_often_than_promised():
    rows = pd.read_csv(ROOT / "benchmarks" / "chance_noise.csv")
    assert rows["seed"].is_unique
    assert (rows["p_value"] <= 0.05).sum() <= binom.ppf(0.975, len(rows), 0.05)


def test_noise_of_every_kind_of_independent_rows_keeps_the_level():
    rows = pd.read_csv(ROOT / "benchmarks" / "chance_kinds.csv")
    assert not rows.duplicated(["kind", "seed"]).any()
    assert set(rows["kind"]) == set(KINDS)
    for kind, own in rows.groupby("kind"):
        if kind not in ("groups of rows, not given", "a sixth of the rows repeated"):
            assert (own["p_value"] <= 0.05).sum() <= binom.ppf(0.995, len(own), 0.05)


def test_intervals_of_metrics_between_0_and_1_contain_the_truth():
    rows = pd.read_csv(ROOT / "benchmarks" / "intervals.csv")
    rows = rows[~rows["table"].str.contains("outliers|skewed")]  # too narrow, as the page says
    for metric in ("accuracy", "balanced_accuracy", "roc_auc", "r2", "concordance"):
        inside = rows[f"{metric}_inside"].dropna()
        assert 0.93 < inside.mean() < 0.99
        assert inside.min() >= 0.89


def test_the_tables_of_noise_are_those_that_were_measured():
    rows = pd.read_csv(ROOT / "benchmarks" / "chance_noise.csv").set_index("seed")
    for seed in rows.index[:20]:
        case = noise_case(int(seed))
        assert rows.loc[seed, ["rows", "columns", "method"]].tolist() == [
            *(case["rows"], case["columns"], case["method"])
        ]
        X, y = noise_table(case)
        assert X.shape == (case["rows"], case["columns"])
        assert y is None or len(y) == case["rows"]


def test_false_discoveries_are_no_more_frequent_than_promised_where_decoys_suffice():
    rows = pd.read_csv(ROOT / "benchmarks" / "false_discoveries.csv")
    X, y, planted = planted_table(rows["table"][0], 0)
    assert X.shape == (len(y), len(planted))
    for rate in RATES:
        shares = rows[f"false_{rate}"] / rows[f"selected_{rate}"].clip(lower=1)
        rows["share"] = shares
        measured = rows[rows["method"] == "lasso"].groupby("table")["share"]
        assert (measured.mean() - 2 * measured.sem().fillna(1) <= rate).all()
