"""select --stability, --consensus and --fdr: in the terminal, the files and the report."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from ipcae import load
from ipcae.cli import subsamples
from ipcae.cli.outputs.report import METRICS, REPORT


@pytest.fixture
def wide():
    """Ninety rows and thirty columns, of which twelve make the price; one has a twin."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(90, 30)), columns=[f"c{i}" for i in range(30)])
    price = table.iloc[:, :12].sum(axis=1) + 0.3 * random.normal(size=90)
    return table.assign(twin=table.c0 + 0.2 * table.c20, patient=np.arange(90) // 3, price=price)


@pytest.fixture
def run(ipcae, tmp_path):
    """Select columns with a ranking, and return the output and metrics.json."""

    def call(table, *arguments, code=0):
        table.to_csv(tmp_path / "table.csv", index=False)
        fast = ("--target", "price", "-k", 12, "--method", "lasso", "--epochs", 2, "--runs", 1)
        fast += ("--drop", "patient", "--no-verdict", "--out", tmp_path / "out", "--force")
        outcome = ipcae("select", tmp_path / "table.csv", *fast, *arguments)
        assert outcome.code == code, outcome.err
        return outcome.out, json.loads((tmp_path / "out" / METRICS).read_text(encoding="utf-8"))

    return call


def test_stability_is_in_the_terminal_the_files_and_the_report(run, wide, ipcae, tmp_path):
    said, metrics = run(wide, "--stability", 10)
    found = metrics["stability"]
    assert found["subsamples"] == 10
    assert found["interval"][0] <= found["index"] <= found["interval"][1]
    assert len(found["consensus"]) == 12
    assert {"c5", "c7"} <= set(found["stable"])
    assert ["c0", "twin"] in found["clusters"]
    assert found["sentence"].replace("\u00a0", " ") in said
    assert "can replace each other: c0 = twin" in said
    lines = (tmp_path / "out" / "ranking.csv").read_text(encoding="utf-8").splitlines()
    frequency = {row["feature"]: float(row["subsamples"]) for row in csv.DictReader(lines)}
    assert {name: share for name, share in frequency.items() if share} == found["frequency"]
    assert (tmp_path / "out" / "stability.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert found["sentence"] in page
    # A rewritten report has it, too, and a new selection without it removes the figure.
    assert ipcae("report", tmp_path / "out").code == 0
    assert found["sentence"] in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert run(wide)[1]["stability"] is None
    assert not (tmp_path / "out" / "stability.png").exists()


def test_the_consensus_is_selected_instead_of_the_best_run(run, wide, tmp_path):
    said, metrics = run(wide, "--stability", 10, "--consensus")
    selected = (tmp_path / "out" / "selected.txt").read_text(encoding="utf-8").split()
    assert set(selected) == set(metrics["stability"]["consensus"])
    assert "as the consensus of 10 subsamples of the rows, in 1 run" in said
    assert "score: the value by which the method ranks the columns" in said
    model = load(tmp_path / "out" / "model.safetensors")
    assert set(model.get_feature_names_out()) == set(selected)
    assert model.row_stability_.n_subsamples == 10


def test_the_consensus_has_the_number_of_columns_that_was_chosen(run, wide, tmp_path):
    _, metrics = run(wide, "-k", "2,12", "--cv", 3, "--stability", 4, "--consensus")
    chosen = metrics["cross_validation"]["chosen"]
    assert len(metrics["stability"]["consensus"]) == chosen == metrics["selected"]
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert "Number of features" in page
    assert "Stability over rows" in page


def test_false_discoveries_are_in_the_terminal_the_files_and_the_report(run, wide, ipcae, tmp_path):
    said, metrics = run(wide, "--fdr", 0.2)
    found = metrics["false_discoveries"]
    assert found["fdr"] == 0.2
    assert len(set(found["features"]) & {f"c{i}" for i in range(12)}) >= 6
    assert found["sentence"].replace("\u00a0", " ") in said
    assert "passes" in said
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert '<section id="discoveries"' in page
    assert ipcae("report", tmp_path / "out").code == 0
    assert found["sentence"] in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")


def test_groups_of_rows_stay_together(run, wide):
    alone = run(wide, "--stability", 10)[1]["stability"]["frequency"]
    together = run(wide, "--stability", 10, "--groups", "patient")[1]["stability"]["frequency"]
    assert alone != together


def test_interrupted_subsamples_leave_the_results_and_exit_with_130(run, wide, monkeypatch):
    def interrupted(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(subsamples, "StabilitySelection", interrupted)
    said, metrics = run(wide, "--stability", 4, code=130)
    assert "Selected 12 of 31 columns" in said
    assert metrics["stability"] is None


def test_a_table_that_allows_no_subsamples_is_a_warning(run, wide):
    table = wide.assign(price=np.where(np.arange(90) < 89, "low", "high"))
    _, metrics = run(table, "--stability", 4, "--method", "anova", "-k", 2)
    assert metrics["stability"] is None
    assert any("the stability over rows is not known" in text for text in metrics["warnings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--stability", 7), "--stability 7 is not understood: expected an even number"),
        (("--stability", 0), "--stability 0 is not understood"),
        (("--consensus",), "--consensus needs --stability N"),
        (("--fdr", 1.5), "--fdr 1.5 is not a rate"),
        (("--fdr", 0.1, "--include", "c1"), "--fdr does not work with --include"),
        (("--fdr", 0.1, "--groups", "patient"), "rows that are independent"),
    ],
)
def test_invalid_options_raise_an_error_before_the_table_is_read(
    ipcae, tmp_path, arguments, message
):
    path = tmp_path / "table.csv"
    path.write_text("a,b,y,patient\n1,2,3,4\n")  # too few rows, if they were read
    outcome = ipcae("select", path, "--target", "y", "-k", 2, "-o", tmp_path / "o", *arguments)
    assert outcome.code == 2
    assert message in outcome.err


def test_decoys_need_a_target(ipcae, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    outcome = ipcae("select", tmp_path / "x.csv", "-k", 2, "-o", tmp_path / "o", "--fdr", 0.1)
    assert outcome.code == 2
    assert "--fdr needs a --target" in outcome.err
