"""In the end, the decoders are trained on the validation rows, too, as long as was best before."""

import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

from ipcae.losses import CrossEntropy
from ipcae.runs import Runs
from ipcae.schedules import Cosine
from ipcae.training import Phase, Plan, train
from tests.problems import choose_features

RUNS = Runs.of([1, 2, 5], learning_rate=[1e-2, 3e-2, 1e-2])
PLAN = Plan(max_epochs=3, batch_size=16)
EPOCHS = 5


@pytest.fixture
def choose(model, rows, validation):
    """Return a function that chooses features, with settings of the problem."""

    def choose(refit, runs=RUNS, **settings):
        given = {"fine_tune_epochs": EPOCHS, "held_out": True, "refit": refit, **settings}
        return choose_features(model, CrossEntropy(), rows, validation, runs, PLAN, **given)

    return choose


def decoders_differ(one, other):
    names = [name for name in one.params if name.startswith("decoder.")]
    return np.array(
        [
            any(not torch.equal(one.params[name][run], other.params[name][run]) for name in names)
            for run in range(len(one.selections))
        ]
    )


def test_only_the_decoders_change(choose):
    without, refitted = choose(False), choose(True)
    assert decoders_differ(without, refitted).any()
    for one, other in zip(without.selections, refitted.selections, strict=True):
        np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(without.validation_loss, refitted.validation_loss)
    np.testing.assert_array_equal(without.importance, refitted.importance)


def test_the_history_ends_with_what_was_validated(choose):
    assert set(choose(True).history.columns()["phase"]) == {"selecting", "fine-tuning"}


def test_the_decoders_are_those_of_all_rows_after_the_best_epoch(
    choose, model, rows, validation, monkeypatch
):
    from ipcae.training import choice

    seen = {}

    def watched(problem, model, start, tuned):
        seen.update(problem=problem, model=model, start=start, epochs=tuned.best_epoch)
        return original(problem, model, start, tuned)

    original = choice.refitted
    monkeypatch.setattr(choice, "refitted", watched)
    result = choose(True)
    everything = replace(seen["problem"], rows=rows.joined(validation))
    for run, epoch in enumerate(seen["epochs"]):
        states = {-1: {name: t.clone() for name, t in seen["start"].items()}}

        def keep(report, states=states):
            states[report.epoch] = {name: t.clone() for name, t in report.params.items()}

        plan = replace(PLAN, max_epochs=EPOCHS, schedule=Cosine())
        stated = replace(everything, plan=plan, callbacks=(keep,))
        train(seen["model"], stated, Phase.FINE_TUNING, start=seen["start"])
        for name, tensor in result.params.items():
            assert torch.equal(tensor[run], states[epoch][name][run]), name


def test_a_run_that_fine_tuning_did_not_help_is_left_alone(choose):
    still = Runs.of([2, 3], learning_rate=[3e-3, 0.0])
    assert decoders_differ(choose(False, still), choose(True, still)).tolist() == [True, False]


def test_a_run_is_refitted_the_same_by_itself(choose):
    together = choose(True)
    for run in range(len(RUNS)):
        alone = choose(True, RUNS.subset([run]))
        for name, tensor in alone.params.items():
            assert torch.equal(tensor[0], together.params[name][run]), name


def test_an_interrupt_keeps_the_decoders_of_the_training_rows(choose):
    class Press:
        def __call__(self, report):
            assert report.phase is not Phase.REFITTING

        def advanced(self, work, done, total):
            assert (work, total) == ("refitting", EPOCHS)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupted = choose(True, Runs.of([2], 3e-3), callbacks=(Press(),))
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted.status == ["interrupted"]
    # One epoch of refitting was finished: it counts only if one epoch was best.
    tuned = choose(False, Runs.of([2], 3e-3))
    epochs = tuned.history.columns()["epoch"][tuned.history.columns()["phase"] == "fine-tuning"]
    assert len(np.unique(epochs)) == EPOCHS
    assert not decoders_differ(interrupted, tuned).any()


def test_without_fine_tuning_there_is_nothing_to_repeat(choose):
    both = [choose(refit, fine_tune_epochs=0) for refit in (False, True)]
    assert not decoders_differ(*both).any()
