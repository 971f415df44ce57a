"""``ipcae select --time --event``, and the report of a survival analysis."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.survival_target import read_survival
from ipcae.errors import InputError
from ipcae.report.details.survival import risk_groups
from tests.command_line import run

FAST = ["-k", "2", "--epochs", "4", "--runs", "1", "--method", "cox-score", "--device", "cpu"]


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """Return a file of 120 patients whose markers 0 and 3 decide how long they live."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(120, 6)), columns=[f"marker_{i}" for i in range(6)])
    months = random.exponential(20 * np.exp(-table["marker_0"] - table["marker_3"]))
    table["months"] = np.minimum(months, 30).round(1)
    table["died"] = (months < 30).astype(int)
    path = tmp_path_factory.mktemp("survival") / "patients.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def panel(patients):
    out = patients.parent / "panel"
    result = run(
        "select", patients, "--time", "months", "--event", "died", *FAST, "--out", out, "--quiet"
    )
    assert result.exit_code == 0, result.output
    return out


def test_select_writes_the_concordance_and_the_selected_columns(panel):
    metrics = json.loads((panel / "metrics.json").read_text())
    assert metrics["task"] == "survival"
    assert metrics["target"] == "months and died"
    assert set(metrics["held_out"]) >= {"concordance", "concordance_ipcw"}
    assert metrics["held_out"]["concordance"] > 0.6
    assert metrics["reference"]["concordance"] == 0.5
    chosen = (panel / "selected.txt").read_text().split()
    assert sorted(chosen) == ["marker_0", "marker_3"]


def test_the_event_can_be_one_of_several_values(panel, patients, tmp_path):
    """As in many registries: 1 is a transplant, 2 a death."""
    table = pd.read_csv(patients)
    table["status"] = np.where(table["died"] == 1, 2, np.arange(len(table)) % 2)
    path = tmp_path / "registry.csv"
    table.drop(columns="died").to_csv(path, index=False)
    out = tmp_path / "panel"
    given = ("select", path, "--time", "months", *FAST, "--out", out, "--quiet")
    refused = run(*given, "--event", "status")
    assert refused.exit_code == 2
    assert "name that of the event, such as --event status=2." in refused.stderr
    never = run(*given, "--event", "status=3")
    assert never.exit_code == 2
    assert '"status" (--event) of' in never.stderr
    assert "is never 3: it is" in never.stderr
    assert run(*given, "--event", "status=2").exit_code == 0
    assert (out / "selected.txt").read_text() == (panel / "selected.txt").read_text()
    assert run("report", out).stderr == ""


def test_the_report_draws_kaplan_meier_curves_by_risk(panel):
    page = (panel / "report.html").read_text()
    assert "Survival by predicted risk" in page
    assert all(f"{group} risk (8)" in page for group in ("low", "medium", "high"))
    assert "concordance index, weighted for censoring" in page


def test_the_report_can_be_written_again(panel):
    before = (panel / "report.html").read_text()
    (panel / "report.html").unlink()
    result = run("report", panel)
    assert result.exit_code == 0, result.output
    page = (panel / "report.html").read_text()
    assert page.count("risk (8)") == before.count("risk (8)") > 0


def test_risks_are_predicted_for_other_rows(panel, patients, tmp_path):
    out = tmp_path / "risks.csv"
    result = run("predict", panel / "model.safetensors", patients, "--out", out)
    assert result.exit_code == 0, result.output
    risks, table = pd.read_csv(out)["prediction"], pd.read_csv(patients)
    assert np.corrcoef(risks, table["marker_0"] + table["marker_3"])[0, 1] > 0.5


@pytest.mark.parametrize(
    "words",
    [
        ["no", "Yes"],
        ["alive", "dead "],
        ["False", "True"],
        ["0:DiseaseFree", "1:Recurred/Progressed"],
        ["1 - alive", "0 - dead"],
    ],
)
def test_events_may_be_words(words):
    target = pd.DataFrame({"months": [1.0, 2.0, 3.0], "died": np.array(words)[[0, 1, 0]]})
    assert read_survival(target, "table.csv")[1].tolist() == [[1, 0], [2, 1], [3, 0]]


def test_risk_groups_are_thirds():
    assert np.bincount(risk_groups(np.arange(9.0))).tolist() == [3, 3, 3]
    assert np.bincount(risk_groups(np.zeros(9)), minlength=3).tolist() == [9, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--time", "months"], "--time is given without --event"),
        (["--event", "died"], "--event is given without --time"),
        (["--time", "month", "--event", "died"], 'did you mean "months"?'),
        (["--time", "died", "--event", "months"], "expected 1 if the event happened"),
        (["--time", "months", "--event", "months"], "is both --time and --event"),
        (["--time", "months", "--event", "died", "--target", "marker_1"], "remove one of them"),
        (["--time", "months", "--event", "died", "--task", "regression"], "are for survival"),
        (["--target", "months", "--task", "survival"], "name them with --time and --event"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_that_are_not_a_survival_target_are_refused(
    patients, tmp_path, arguments, sentence
):
    result = run("select", patients, *arguments, *FAST, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["2020-01-31", "<6", "unknown"])
def test_a_time_that_is_no_number_is_named(text):
    target = pd.DataFrame({"last contact": ["1", text, "3"], "died": [0, 1, 0]})
    with pytest.raises(InputError, match=f'"last contact" .--time. of x.csv contains "{text}"'):
        read_survival(target, "x.csv")


def test_times_may_have_a_unit():
    target = pd.DataFrame({"time": ["1 month", "2 month", "3 month"], "died": [0, 1, 0]})
    assert read_survival(target, "x.csv")[1].tolist() == [[1, 0], [2, 1], [3, 0]]


def test_the_number_of_events_is_shown_because_codes_may_be_the_other_way_round():
    target = pd.DataFrame({"months": [1.0, 2.0, 3.0], "status": ["dead", "alive", "dead"]})
    assert read_survival(target, "patients.csv")[0].hint == "2 of 3 rows have the event"
