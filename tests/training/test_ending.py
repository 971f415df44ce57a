"""How a run may end: finished, stopped early, or diverged."""

import math

import numpy as np
import pytest
import torch

from ipcae.losses import CrossEntropy, CustomLoss
from ipcae.runs import Runs, Stream
from ipcae.schedules import Constant
from ipcae.training import Plan, curve, train
from tests.problems import problem


def epochs_of(fit, run):
    return len(curve(fit.history.columns(), "train_loss", run))


def test_every_run_finishes_without_patience(model, rows, validation):
    plan = Plan(max_epochs=6, batch_size=16)
    fit = train(model, problem(CrossEntropy(), rows, validation, Runs.of([1, 2], [0.0, 1.0]), plan))
    assert fit.status == ["finished", "finished"]
    assert [epochs_of(fit, run) for run in range(2)] == [6, 6]


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_a_run_that_never_improves_stops_after_its_patience(patience, model, rows, validation):
    plan = Plan(max_epochs=9, batch_size=16, patience=patience)
    fit = train(model, problem(CrossEntropy(), rows, validation, Runs.of([1], 0.0), plan))
    assert fit.status == ["stopped early"]
    assert fit.best_epoch == [0]
    assert epochs_of(fit, 0) == 1 + patience


def test_each_run_has_its_own_patience(model, rows, validation):
    plan = Plan(max_epochs=20, batch_size=16, patience=5)
    runs = Runs.of([1, 2, 3, 4], [0.0, 0.3, 3e-2, 1e-4])
    fit = train(model, problem(CrossEntropy(), rows, validation, runs, plan))
    for run in range(4):
        if fit.status[run] == "stopped early":
            assert epochs_of(fit, run) == fit.best_epoch[run] + 1 + 5
        else:
            assert fit.status[run] == "finished"
            assert epochs_of(fit, run) == 20
    # The first run cannot improve; the last one moves so slowly that it always does.
    assert fit.best_epoch[0] == 0
    assert fit.status[3] == "finished"


def test_training_ends_when_the_last_run_stops(model, rows, validation):
    seen = []
    plan = Plan(max_epochs=50, batch_size=16, patience=2)
    train(
        model,
        problem(
            CrossEntropy(), rows, validation, Runs.of([1, 2], 0.0), plan, callbacks=(seen.append,)
        ),
    )
    assert len(seen) == 3


def test_a_run_that_diverges_at_once_is_left_at_its_start(model, rows, validation):
    plan = Plan(max_epochs=5, batch_size=16)
    fit = train(
        model, problem(CrossEntropy(), rows, validation, Runs.of([1, 2], [1e-3, 1e30]), plan)
    )
    assert fit.status == ["finished", "diverged"]
    assert fit.best_loss[1] == math.inf
    assert fit.best_epoch == [fit.best_epoch[0], -1]
    assert epochs_of(fit, 1) == 1
    start = model.init(Stream([1, 2]))
    assert all(torch.equal(fit.params[name][1], tensor[1]) for name, tensor in start.items())


def explode_halfway(progress):
    return 1.0 if progress < 0.5 else 1e33


def test_a_run_that_diverges_later_keeps_its_best_state(model, rows, validation):
    plan = Plan(max_epochs=10, batch_size=16, schedule=explode_halfway)
    fit = train(model, problem(CrossEntropy(), rows, validation, Runs.of([1], 1e-2), plan))
    assert fit.status == ["diverged"]
    assert 0 <= fit.best_epoch[0] < 5
    assert epochs_of(fit, 0) == 6
    assert all(torch.isfinite(tensor).all() for tensor in fit.params.values())
    losses = curve(fit.history.columns(), "validation_loss", 0)
    assert np.isfinite(losses[:5]).all()
    assert fit.best_loss[0] == losses[:5].min()


def test_training_ends_when_every_run_has_diverged(model, rows, validation):
    seen = []
    fit = train(
        model,
        problem(
            CrossEntropy(),
            rows,
            validation,
            Runs.of([1, 2], 1e30),
            Plan(max_epochs=5, batch_size=16),
            callbacks=(seen.append,),
        ),
    )
    assert fit.status == ["diverged", "diverged"]
    assert len(seen) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite_is_divergence(value, model, rows, validation):
    loss = CustomLoss(lambda outputs, targets: outputs.sum(-1) * 0 + value)
    plan = Plan(max_epochs=3, batch_size=16)
    fit = train(model, problem(loss, rows, validation, Runs.of([1]), plan))
    assert fit.status == ["diverged"]


def test_reports_count_the_runs_that_still_train(model, rows, validation):
    seen = []
    plan = Plan(max_epochs=4, batch_size=16, patience=2, schedule=Constant())
    train(
        model,
        problem(
            CrossEntropy(),
            rows,
            validation,
            Runs.of([1, 2, 3], [1e30, 0.0, 1e-3]),
            plan,
            callbacks=(seen.append,),
        ),
    )
    assert [report.n_active for report in seen] == [3, 2, 2, 1]
    assert [report.epoch for report in seen] == [0, 1, 2, 3]
    assert {report.max_epochs for report in seen} == {4}
