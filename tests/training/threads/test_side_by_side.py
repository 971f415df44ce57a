"""Runs that are trained in several threads give the results of one thread."""

import threading

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, SelectorCV
from ipcae.losses import CrossEntropy
from ipcae.runs import Runs
from ipcae.training import Plan, train, trainer
from ipcae.training.epochs import traced
from ipcae.training.threads.side_by_side import parts_of
from tests.problems import problem
from tests.threads import ctrl_c_in_second_epoch, noted_threads

PLAN = Plan(max_epochs=5, batch_size=16)
RUNS = Runs.of([3, 1, 3, 2, 1], learning_rate=[0.01, 0.02, 0.03, 0.01, 0.02])


@pytest.fixture
def three_threads(monkeypatch):
    """Let even small steps deserve a thread each; list the threads that trained."""
    with noted_threads(monkeypatch, 3, trainer, "_train") as used:
        yield used


@pytest.fixture
def stated(rows, validation):
    return problem(CrossEntropy(), rows, validation, RUNS, PLAN)


@pytest.mark.parametrize("is_traced", [False, True])
def test_the_results_are_those_of_one_thread(is_traced, model, stated, three_threads, monkeypatch):
    if is_traced:
        monkeypatch.setattr(traced, "_LONG", 1)
        monkeypatch.setattr(traced, "_PLAIN", 1)
    together = train(model, stated)
    assert len({thread for thread, _ in three_threads}) == 3
    assert {n_threads for _, n_threads in three_threads} == {1}
    torch.set_num_threads(1)
    expected = train(model, stated)
    torch.set_num_threads(3)
    for name, tensor in expected.params.items():
        assert torch.equal(tensor, together.params[name]), name
    assert together.best_loss == expected.best_loss
    assert together.best_epoch == expected.best_epoch
    ours, theirs = together.history.columns(), expected.history.columns()
    assert all((ours[name] == theirs[name]).all() for name in theirs)


def test_runs_of_a_seed_are_in_one_thread(model, stated, three_threads):
    params = trainer._initial(model, stated)
    assert parts_of(model, stated, params) == [[1], [3, 4], [0, 2]]
    torch.set_num_threads(1)
    assert parts_of(model, stated, params) == [[0, 1, 2, 3, 4]]
    torch.set_num_threads(3)


def test_a_callback_sees_all_runs(model, rows, validation, three_threads):
    seen = set()
    whole = problem(
        *(CrossEntropy(), rows, validation, RUNS, PLAN),
        callbacks=(lambda report: seen.add(report.runs),),
    )
    train(model, whole)
    assert seen == {(0, 1, 2, 3, 4)}


def test_ctrl_c_ends_all_threads(model, stated, three_threads, monkeypatch):
    long = problem(
        *(CrossEntropy(), stated.rows, stated.validation, RUNS),
        Plan(max_epochs=100_000, batch_size=16),
    )
    with ctrl_c_in_second_epoch(monkeypatch):
        fit = train(model, long)
    assert fit.status == ["interrupted"] * 5
    assert fit.history.columns()["epoch"].max() < 10_000


def test_an_error_in_a_thread_is_raised(model, stated, three_threads, monkeypatch):
    main, run = threading.get_ident(), trainer.PlainEpochs.run

    def failing(epochs):
        if threading.get_ident() != main:
            raise ArithmeticError("in a thread")
        return run(epochs)

    monkeypatch.setattr(trainer.PlainEpochs, "run", failing)
    with pytest.raises(ArithmeticError, match="in a thread"):
        train(model, stated)


def test_a_cross_validation_does_not_depend_on_the_threads(three_threads):
    X = np.random.default_rng(0).normal(size=(60, 8))
    y = (X[:, 3] > 0).astype(int)
    results = []
    for n_threads in (3, 1):
        torch.set_num_threads(n_threads)
        selector = ClassificationSelector(
            method="ip-cae", max_epochs=3, decoder=(8,), random_state=0, n_runs=2
        )
        search = SelectorCV(selector, n_features_to_select=[2, 4], cv=3, refit=False).fit(X, y)
        results.append(search.cv_results_)
    torch.set_num_threads(3)
    for name, values in results[0].items():
        np.testing.assert_array_equal(values, results[1][name])
