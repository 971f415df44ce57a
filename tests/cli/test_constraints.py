"""The options of select that restrict the selection."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.options.constraint_options import read_costs

QUICK = ["--epochs", "2", "--runs", "1", "--no-verdict", "--quiet", "--method", "anova"]


@pytest.fixture
def files(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 6))
    table = pd.DataFrame(rows, columns=["acc_x", "acc_y", "t", "u", "v", "w"])
    table.assign(y=np.where(rows[:, 2] > 0, "a", "b")).to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "costs.csv").write_text("acc_x;3\nacc_y;3\nt;2\nu;1\nv;1\nw;4\nold;9\n")
    return tmp_path


@pytest.fixture
def choose(files, ipcae):
    def call(*options):
        return ipcae(
            "select", files / "x.csv", "--target", "y", "--out", files / "out", *QUICK, *options
        )

    return call


def selected(files):
    return (files / "out" / "selected.txt").read_text().split()


def test_columns_are_included_excluded_and_selected_together(choose, files):
    given = ("-k", "3", "--include", "^u$", "--exclude", "[vw]", "--together", "^acc_")
    code, _, _ = choose(*given)
    assert code == 0
    assert "Groups: ^acc_." in (files / "out" / "report.html").read_text()
    assert sorted(selected(files)) == ["acc_x", "acc_y", "t", "u"]


def test_a_budget_needs_no_k_and_is_in_the_metrics(choose, files):
    costs = ["--costs", str(files / "costs.csv")]
    code, _, _ = choose(*costs, "--budget", "4", "--at-most", "1:[uv]")
    assert code == 0
    metrics = json.loads((files / "out" / "metrics.json").read_text())
    assert metrics["cost"] <= metrics["budget"] == 4
    assert len({"u", "v"} & set(selected(files))) <= 1
    assert "t" in selected(files)
    assert any("not columns to select from (old)" in warning for warning in metrics["warnings"])


def test_the_report_of_a_budget_can_be_rewritten(choose, files, ipcae):
    choose("--costs", str(files / "costs.csv"), "--budget", "4")
    before = (files / "out" / "report.html").read_text()
    assert "Cost of the selected features" in before
    assert ipcae("report", files / "out", "--quiet")[0] == 0
    assert "Cost of the selected features" in (files / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "Missing option -k"),
        (["--budget", "3"], "--budget needs --costs"),
        (["-k", "2", "--include", "Acc_x"], "--include 'Acc_x' matches no column"),
        (
            ["-k", "2", "--include", "acc_x,t"],
            "matches no column: expected a name or a pattern. Give several columns one by one.",
        ),
        (["-k", "1", "--include", "acc"], "--include has 2 features, more than the 1 to select"),
        (["-k", "2", "--at-most", "x"], "--at-most x is not understood"),
        (["-k", "2", "--at-most", "0:t"], "--at-most 0:t is not understood"),
        (["-k", "2", "--costs", "nowhere.csv"], "--costs nowhere.csv does not exist"),
        (["--costs", "{costs}", "--budget", "0.5"], "No feature is within the budget of 0.5"),
        (["--costs", "{bad}", "--budget", "3"], "the cost of \"t\" in line 2 is 'x'"),
        (["--costs", "{few}", "--budget", "3"], "--costs has no cost for 5 columns"),
    ],
)
def test_infeasible_constraints_are_reported_in_one_line(choose, files, options, says):
    (files / "bad.csv").write_text("acc_x,1\nt,x\n")
    (files / "few.csv").write_text("column,cost\nt,1\n")
    places = {name: str(files / f"{name}.csv") for name in ("costs", "bad", "few")}
    code, _, err = choose(*(option.format(**places) for option in options))
    assert code == 2
    assert says in err
    assert len(err.strip().splitlines()) <= 2


def test_costs_may_have_decimal_commas(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("column;cost\na;3,5\nb;2\n")
    assert read_costs(path).costs == {"a": 3.5, "b": 2.0}


def test_costs_may_have_a_unit_and_another_encoding(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_bytes("Größe;Kosten\na;1.200,50 €\nb;2,00 €\n".encode("cp1252"))
    assert read_costs(path).costs == {"a": 1200.5, "b": 2.0}
