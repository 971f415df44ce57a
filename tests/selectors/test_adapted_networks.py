"""A network that selects gets a new decoder where one with piecewise linear inputs is better."""

import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

import ipcae
from ipcae import ClassificationSelector, Mlp, RegressionSelector
from ipcae.selectors import Concrete
from ipcae.training import Phase
from ipcae.training.choices import decoding
from ipcae.training.choices.adapting import PIECEWISE, USUAL
from ipcae.training.choices.pieces import N_STEPS
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.states.state import FINISHED, INTERRUPTED
from tests.problems import with_own_targets

N_ROWS, N_TRAIN, K = 300, 240, 3


@pytest.fixture(autouse=True)
def many_rows(monkeypatch):
    """Let the rows of this file be many, and compared in cross-validation."""
    monkeypatch.setattr(decoding, "MOST_ROWS", N_TRAIN - 1)


def table(rows=N_ROWS, seed=0):
    return np.random.default_rng(seed).uniform(-1.7, 1.7, size=(rows, K))


def waves(X):
    return np.sin(5 * X[:, 0]) * X[:, 2] + np.sin(5 * X[:, 1])


@pytest.fixture(scope="module")
def problem():
    """Return a problem with two runs, each with rows of its own: waves, and a product."""
    X = table()
    y = np.stack([waves(X), X[:, 0] * X[:, 1]])
    return with_own_targets(X, y / y.std(1, keepdims=True), N_TRAIN, max_epochs=4)


def epochs_of(choice, phase, run):
    columns = choice.history.columns()
    found = zip(columns["phase"], columns["run"], columns["metric"], strict=True)
    return sum(each == (phase, run, "train_loss") for each in found)


def test_only_runs_with_another_decoder_are_decoded_again(problem):
    choice = Concrete().choose(problem)
    assert choice.decoders == [PIECEWISE, USUAL]
    assert choice.status == [FINISHED] * 2
    assert choice.model.decoder == Mlp(hidden=(16,), pieces=N_STEPS)
    assert [epochs_of(choice, Phase.SELECTING, run) for run in (0, 1)] == [4, 4]
    assert [epochs_of(choice, Phase.DECODING, run) for run in (0, 1)] == [1, 0]
    assert [epochs_of(choice, Phase.FINE_TUNING, run) for run in (0, 1)] == [2, 2]


def test_a_run_of_a_mixed_batch_equals_the_run_alone(problem):
    every = Concrete().choose(problem)
    outputs = outputs_of(every.model, every.params, problem.validation)
    for run in range(2):
        part = problem.of_runs([run])
        alone = Concrete().choose(part)
        own = outputs_of(alone.model, alone.params, part.validation)
        assert torch.equal(own[0], outputs[run])
        assert alone.validation_loss[0] == every.validation_loss[run]
        assert (alone.importance[0] == every.importance[run]).all()


def test_nothing_is_compared_unless_the_problem_is_adaptive(problem):
    choice = Concrete().choose(replace(problem, adaptive=False))
    assert choice.decoders == [USUAL] * 2
    assert choice.model.decoder == Mlp(hidden=(16,))


def test_the_decoder_of_a_network_keeps_its_kind_with_few_rows(problem, monkeypatch):
    monkeypatch.setattr(decoding, "MOST_ROWS", len(problem.rows))
    assert Concrete().choose(problem).decoders == [USUAL] * 2


def test_nothing_is_compared_after_an_interrupted_selection(problem, monkeypatch):
    monkeypatch.setattr(decoding, "adaptations", lambda *_: pytest.fail("compared"))
    choice = interrupted_in(Phase.SELECTING, problem, monkeypatch)
    assert choice.decoders == [USUAL] * 2
    assert choice.status == [INTERRUPTED] * 2


def test_all_runs_are_usable_if_the_new_decoders_are_interrupted(problem, monkeypatch):
    choice = interrupted_in(Phase.DECODING, problem, monkeypatch)
    assert choice.decoders == [PIECEWISE, USUAL]
    assert choice.status == [INTERRUPTED] * 2
    assert np.isfinite(choice.validation_loss).all()
    assert epochs_of(choice, Phase.FINE_TUNING, 1) == 0


def interrupted_in(phase, problem, monkeypatch):
    def interrupt(report):
        if report.phase == phase:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return Concrete().choose(replace(problem, callbacks=(interrupt,)))
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("method", ["ip-cae", "subset"])
def test_a_selector_predicts_waves_that_its_network_does_not(method, tmp_path):
    X, new = table(), table(500, seed=9)
    y, expected = (waves(rows) + rows[:, 1] for rows in (X, new))
    X, new = (np.hstack([rows, rows[::-1, :1]]) for rows in (X, new))  # one column is noise
    settings = {"method": method, "random_state": 0, "max_epochs": 60, "include": [0, 2]}
    selector = RegressionSelector(K, **settings).fit(X, y)
    usual = RegressionSelector(K, **settings, decoder=(512,)).fit(X, y)
    assert selector.decoders_ != [USUAL]
    assert selector.score(new, expected) > usual.score(new, expected) + 0.1
    selector.save(tmp_path / "selector.safetensors")
    loaded = ipcae.load(tmp_path / "selector.safetensors")
    np.testing.assert_array_equal(loaded.predict(new), selector.predict(new))


def test_a_fit_can_be_resumed_with_its_new_decoders(tmp_path):
    X = table(400)
    y = waves(X) > 0
    settings = {"method": "ip-cae", "random_state": 0, "max_epochs": 6, "checkpoint": tmp_path}
    first = ClassificationSelector(K, **settings).fit(X, y)
    assert first.decoders_ == [PIECEWISE]
    again = ClassificationSelector(K, **settings, resume=True).fit(X, y)
    assert again.decoders_ == [PIECEWISE]
    np.testing.assert_array_equal(again.predict_proba(X), first.predict_proba(X))
