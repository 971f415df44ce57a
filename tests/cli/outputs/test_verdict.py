"""The verdict of select: shown first, stored in the files, skipped on request."""

import functools
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ipcae import chance_test
from ipcae.cli.messages import Messages
from ipcae.cli.outputs import verdict
from ipcae.cli.outputs.report import METRICS, REPORT
from ipcae.evaluation import ChanceTest


@pytest.fixture
def run(ipcae, tmp_path):
    """Select two columns of a table with a ranking, and return the output and metrics.json."""

    def call(table, *arguments, code=0):
        table.to_csv(tmp_path / "table.csv", index=False)
        out = tmp_path / "out"
        fast = ("-k", 2, "--method", "anova", "--epochs", 8, "--runs", 2, "--out", out, "--force")
        outcome = ipcae("select", tmp_path / "table.csv", "--target", "y", *fast, *arguments)
        assert outcome.code == code, outcome.err
        return outcome.out, json.loads((out / METRICS).read_text(encoding="utf-8"))

    return call


@pytest.fixture
def noise():
    random = np.random.default_rng(3)
    table = pd.DataFrame(random.normal(size=(60, 8)), columns=list("abcdefgh"))
    return table.assign(y=np.repeat(["sick", "well"], [24, 36]))


def test_noise_is_called_noise_in_the_terminal_the_report_and_the_files(
    run, noise, ipcae, tmp_path
):
    out, metrics = run(noise)
    assert not metrics["chance"]["better"]
    assert metrics["chance"]["p_value"] > 0.05
    lines = out.splitlines()
    said = next(i for i, line in enumerate(lines) if line.startswith("Not better than chance (p ="))
    assert lines[said - 1].startswith("Selected 2 of 8 columns")
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert '<p class="verdict bad"><b>Not better than chance</b> (p =' in page
    # The rewritten report has it, too, and does without it if the file is damaged.
    assert ipcae("report", tmp_path / "out").code == 0
    assert '<p class="verdict bad">' in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    (tmp_path / "out" / METRICS).write_text('{"chance": {"p_value": "x"}}')
    outcome = ipcae("report", tmp_path / "out")
    assert outcome.code == 0
    assert "the report has no verdict" in outcome.err


def test_a_signal_is_called_better_than_chance(run, noise):
    noise.loc[:23, "c"] += 3
    out, metrics = run(noise, "--epochs", 30)
    assert metrics["chance"]["better"]
    assert "Better than chance (p < 0.001; accuracy" in out


@pytest.fixture
def long():
    """Return 600 rows of noise, of which 120 are held out."""
    random = np.random.default_rng(3)
    table = pd.DataFrame(random.normal(size=(600, 8)), columns=list("abcdefgh"))
    return table.assign(y=random.integers(0, 2, 600).astype(str))


def test_a_clear_result_on_many_held_out_rows_needs_no_folds(run, long, monkeypatch, tmp_path):
    def refused(*arguments, **settings):
        raise AssertionError("folds were trained")

    monkeypatch.setattr(verdict, "chance_test", refused)
    long["c"] += 3.0 * (long["y"] == "1")
    out, metrics = run(long, "--epochs", 30)
    assert (metrics["chance"]["folds"], metrics["chance"]["rows"]) == (1, 120)
    assert metrics["chance"]["score"] == pytest.approx(metrics["held_out"]["accuracy"])
    assert re.search(r"Better than chance \(p < 0.001; accuracy .* on 120 held-out rows\)", out)
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert "no folds were needed" in page


def test_the_folds_of_a_result_that_is_not_clear_pay_for_the_first_attempt(run, long, monkeypatch):
    found = []

    def recorded(*arguments, **settings):
        found.append(chance_test(*arguments, **settings))
        return found[-1]

    monkeypatch.setattr(verdict, "chance_test", recorded)
    chance = run(long)[1]["chance"]
    assert chance["folds"] == 3
    assert chance["p_value"] == pytest.approx(found[0].p_value + 1 / 2001)


def test_the_verdict_can_be_left_out(run, noise, tmp_path):
    out, metrics = run(noise, "--no-verdict")
    assert metrics["chance"] is None
    assert "chance" not in out
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert 'class="verdict' not in page


def test_groups_and_compared_numbers_are_part_of_the_verdict(run, noise):
    grouped = noise.assign(patient=np.arange(60) // 5)
    _, metrics = run(grouped, "--groups", "patient", "-k", "1,2")
    assert metrics["chance"]["groups"] == 12
    assert not metrics["chance"]["better"]


def test_an_interrupted_verdict_leaves_the_results(run, noise, monkeypatch):
    def interrupted(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(verdict, "chance_test", interrupted)
    out, metrics = run(noise, code=130)
    assert "Selected 2 of 8 columns" in out
    assert metrics["chance"] is None
    assert "the comparison with chance was interrupted: there is no verdict." in metrics["warnings"]


def test_a_table_that_allows_no_verdict_is_a_warning(run, noise, monkeypatch):
    monkeypatch.setattr(verdict, "chance_test", functools.partial(chance_test, cv=50))
    metrics = run(noise)[1]
    assert metrics["chance"] is None
    assert any("there is no verdict" in text for text in metrics["warnings"])


def test_compared_numbers_of_columns_need_no_new_folds(run, noise, monkeypatch):
    def repeated(*arguments, **settings):
        raise AssertionError("the folds were trained again")

    monkeypatch.setattr(verdict, "chance_test", repeated)
    chance = run(noise, "-k", "auto")[1]["chance"]
    assert (chance["rows"], chance["folds"]) == (60, 5)
    assert not chance["better"]


@pytest.mark.parametrize(
    ("score", "p_value", "baseline", "warned"),
    [(0.3, 0.01, 0.5, 1), (0.7, 0.01, 0.5, 0), (0.3, 0.4, 0.5, 0), (0.3, 0.01, 0.7, 0)],
)
def test_a_verdict_that_held_out_rows_do_not_confirm_is_followed_by_a_warning(
    score, p_value, baseline, warned
):
    found = SimpleNamespace(score=score, baseline_score=0.5, task=SimpleNamespace(score="accuracy"))
    result = SimpleNamespace(evaluation=found, experiment=SimpleNamespace(test=range(16)))
    messages = Messages(quiet=True)
    chance = ChanceTest(p_value, 2.5, 0.7, "accuracy", 5, 80, baseline=baseline)
    verdict.warn_if_not_confirmed(result, chance, messages)
    assert len(messages.warnings) == warned
    for sentence in messages.warnings:
        assert "no better than a constant (accuracy 30.0 %, against 50.0 %): other" in sentence
