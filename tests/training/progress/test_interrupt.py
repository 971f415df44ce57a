"""Ctrl-C finishes the epoch and keeps what was learned."""

import signal
import threading

import numpy as np
import pytest

from ipcae.losses import CrossEntropy
from ipcae.runs import Runs
from ipcae.training import Plan, curve, train
from ipcae.training.epochs.validation import evaluate
from tests.problems import choose_features, problem

PLAN = Plan(max_epochs=10, batch_size=16)
RUNS = Runs.of([1, 2], 1e-2)


@pytest.fixture(autouse=True)
def handler():
    """Install Python's own handler of Ctrl-C, which a background process may lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def interrupt_at(epoch, times=1):
    """Return a callback that presses Ctrl-C after an epoch."""

    def callback(report):
        if report.epoch == epoch:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    return callback


@pytest.fixture
def fit(model, rows, validation):
    callbacks = (interrupt_at(3),)
    return train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN, callbacks=callbacks))


def test_the_first_interrupt_ends_training_after_the_epoch(fit):
    assert fit.status == ["interrupted", "interrupted"]
    assert fit.history.columns()["epoch"].max() == 3


def test_an_interrupted_training_returns_the_best_state_so_far(fit, model, validation):
    columns = fit.history.columns()
    losses = [curve(columns, "validation_loss", run) for run in range(2)]
    assert fit.best_loss == [own.min() for own in losses]
    evaluated = evaluate(model, CrossEntropy(), fit.params, validation)[0]
    np.testing.assert_allclose(evaluated, fit.best_loss, rtol=1e-6)


def test_an_interrupted_training_went_as_an_uninterrupted_one(fit, model, rows, validation):
    whole = train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN)).history.columns()
    for run in range(2):
        np.testing.assert_array_equal(
            curve(fit.history.columns(), "validation_loss", run),
            curve(whole, "validation_loss", run)[:4],
        )


def test_a_run_that_had_ended_before_keeps_its_own_ending(model, rows, validation):
    runs = Runs.of([1, 2], [1e30, 1e-2])
    callbacks = (interrupt_at(2),)
    fit = train(model, problem(CrossEntropy(), rows, validation, runs, PLAN, callbacks=callbacks))
    assert fit.status == ["diverged", "interrupted"]


def test_the_second_interrupt_raises(model, rows, validation, handler):
    callbacks = (interrupt_at(1, times=2),)
    with pytest.raises(KeyboardInterrupt):
        train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN, callbacks=callbacks))
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_previous_handler_is_called_by_the_second_interrupt(model, rows, validation):
    calls = []

    def own(number, frame):
        calls.append(number)

    signal.signal(signal.SIGINT, own)
    callbacks = (interrupt_at(1, times=2),)
    fit = train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN, callbacks=callbacks))
    assert calls == [signal.SIGINT]
    assert fit.status == ["interrupted", "interrupted"]
    assert signal.getsignal(signal.SIGINT) is own


@pytest.mark.parametrize("callbacks", [(), (interrupt_at(1),)], ids=["undisturbed", "interrupted"])
def test_the_previous_handler_is_restored(callbacks, model, rows, validation, handler):
    train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN, callbacks=callbacks))
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_previous_handler_is_restored_after_an_error(model, rows, validation, handler):
    def fail(report):
        raise LookupError

    with pytest.raises(LookupError):
        train(model, problem(CrossEntropy(), rows, validation, RUNS, PLAN, callbacks=(fail,)))
    assert signal.getsignal(signal.SIGINT) is handler


def test_training_works_outside_the_main_thread(model, rows, validation):
    fits = []
    plan = Plan(max_epochs=2, batch_size=16)
    thread = threading.Thread(
        target=lambda: fits.append(
            train(model, problem(CrossEntropy(), rows, validation, RUNS, plan))
        )
    )
    thread.start()
    thread.join()
    assert fits[0].status == ["finished", "finished"]


def test_an_interrupted_training_still_chooses_features(model, rows, validation):
    choice = choose_features(
        model,
        CrossEntropy(),
        rows,
        validation,
        RUNS,
        PLAN,
        fine_tune_epochs=5,
        callbacks=(interrupt_at(2),),
    )
    assert choice.status == ["interrupted", "interrupted"]
    assert all(len(set(selection.features)) == 3 for selection in choice.selections)
    # No fine-tuning after somebody asked to stop.
    assert choice.history.columns()["epoch"].max() == 2


def test_fine_tuning_can_be_interrupted(model, rows, validation):
    seen = []

    def in_fine_tuning(report):
        seen.append(report)
        if "unique_percentage" not in report.metrics and report.epoch == 1:
            signal.raise_signal(signal.SIGINT)

    choice = choose_features(
        model,
        CrossEntropy(),
        rows,
        validation,
        RUNS,
        Plan(max_epochs=3, batch_size=16),
        fine_tune_epochs=8,
        callbacks=(in_fine_tuning,),
    )
    assert len(seen) == 3 + 2
    assert choice.status == ["interrupted", "interrupted"]
    assert np.isfinite(choice.validation_loss).all()
