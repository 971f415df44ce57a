"""The state that training returns is the best on the validation rows."""

import math

import numpy as np
import pytest
import torch

from ipcae.losses import CrossEntropy
from ipcae.runs import Runs, Stream
from ipcae.training import Plan, curve, train
from ipcae.training.epochs.validation import evaluate
from ipcae.training.states.state import Best
from tests.problems import problem

RUNS = Runs.of([1, 2, 3], learning_rate=[0.3, 1e-2, 3e-2])


@pytest.fixture
def fit(model, rows, validation):
    return train(
        model, problem(CrossEntropy(), rows, validation, RUNS, Plan(max_epochs=12, batch_size=16))
    )


def test_best_loss_and_epoch_are_the_lowest_of_the_history(fit):
    columns = fit.history.columns()
    for run in range(3):
        losses = curve(columns, "validation_loss", run)
        assert fit.best_loss[run] == losses.min()
        assert fit.best_epoch[run] == losses.argmin()
    assert len(set(fit.best_epoch)) > 1
    assert min(fit.best_epoch) < 11


def test_the_returned_tensors_have_the_best_loss(fit, model, validation):
    losses, accuracies = evaluate(model, CrossEntropy(), fit.params, validation)
    np.testing.assert_allclose(losses, fit.best_loss, rtol=1e-6)
    columns = fit.history.columns()
    for run, epoch in enumerate(fit.best_epoch):
        assert accuracies[run] == curve(columns, "validation_accuracy", run)[epoch]


def test_the_returned_tensors_need_no_gradient(fit):
    assert not any(tensor.requires_grad for tensor in fit.params.values())


def test_training_further_never_raises_the_best_loss(fit, model, rows, validation):
    again = train(
        model,
        problem(CrossEntropy(), rows, validation, RUNS, Plan(max_epochs=3, batch_size=16)),
        start=fit.params,
    )
    assert all(new <= old for new, old in zip(again.best_loss, fit.best_loss, strict=True))


def test_a_start_that_nothing_improves_is_returned_unchanged(fit, model, rows, validation):
    before = {name: tensor.clone() for name, tensor in fit.params.items()}
    ruinous = Runs.of([1, 2, 3], learning_rate=1e6)
    plan = Plan(max_epochs=2, batch_size=16)
    again = train(model, problem(CrossEntropy(), rows, validation, ruinous, plan), start=fit.params)
    assert again.best_epoch == [-1, -1, -1]
    for name, tensor in before.items():
        assert torch.equal(again.params[name], tensor)
        assert torch.equal(fit.params[name], tensor)


def test_each_run_keeps_its_own_best_tensors():
    best = Best({"a": torch.zeros(2, 1)})
    best.update(
        0, torch.tensor([0, 1]), torch.tensor([3.0, 3.0]), {"a": torch.tensor([[1.0], [2.0]])}
    )
    best.update(
        1, torch.tensor([0, 1]), torch.tensor([2.0, 4.0]), {"a": torch.tensor([[3.0], [4.0]])}
    )
    best.update(2, torch.tensor([1]), torch.tensor([1.0]), {"a": torch.tensor([[5.0]])})
    best.update(3, torch.tensor([1]), torch.tensor([float("nan")]), {"a": torch.tensor([[6.0]])})
    assert best.params["a"].tolist() == [[3.0], [5.0]]
    assert best.loss == [2.0, 1.0]
    assert best.epoch == [1, 2]


def test_the_best_tensors_are_copies():
    params = {"a": torch.ones(1, 2)}
    best = Best(params)
    best.update(0, torch.tensor([0]), torch.tensor([1.0]), params)
    params["a"].zero_()
    assert best.params["a"].tolist() == [[1.0, 1.0]]


def test_of_equal_losses_the_first_is_kept():
    best = Best({"a": torch.zeros(1, 1)})
    best.update(0, torch.tensor([0]), torch.tensor([1.0]), {"a": torch.ones(1, 1)})
    best.update(1, torch.tensor([0]), torch.tensor([1.0]), {"a": 2 * torch.ones(1, 1)})
    assert best.epoch == [0]
    assert best.params["a"].item() == 1


def test_the_initial_state_of_a_run_depends_on_its_seed_alone(model, rows, validation):
    plan = Plan(max_epochs=1, batch_size=16)
    still = train(model, problem(CrossEntropy(), rows, validation, Runs.of([7, 8], 0.0), plan))
    start = model.init(Stream([7, 8]))
    assert all(torch.equal(still.params[name], tensor) for name, tensor in start.items())


def test_an_epoch_may_be_a_number_of_the_device(device):
    params = {"a": torch.zeros(3, 2, device=device), "b": torch.zeros(3, 1, 4, device=device)}
    best = Best(params)
    runs = torch.arange(3, device=device)
    for epoch, losses in enumerate([[3.0, 2.0, math.nan], [2.0, 5.0, math.inf]]):
        moved = {name: torch.full_like(tensor, epoch + 1.0) for name, tensor in params.items()}
        number = torch.tensor(epoch, device=device)
        best.update(number, runs, torch.tensor(losses, device=device), moved)
    assert best.loss == [2.0, 2.0, math.inf]
    assert best.epoch == [1, 0, -1]
    kept = [tensor.flatten(1)[:, 0].tolist() for tensor in best.params.values()]
    assert kept == [[2.0, 1.0, 0.0]] * 2


def test_runs_that_have_left_keep_their_best(device):
    params = {"a": torch.zeros(3, 2, device=device)}
    best = Best(params)
    everyone, last = torch.arange(3, device=device), torch.tensor([2], device=device)
    best.update(0, everyone, torch.tensor([1.0, 1.0, 1.0], device=device), params)
    still = {"a": torch.ones(1, 2, device=device)}
    best.update(torch.tensor(1, device=device), last, torch.tensor([0.5], device=device), still)
    assert best.loss == [1.0, 1.0, 0.5]
    assert best.epoch == [0, 0, 1]
    assert best.params["a"][:, 0].tolist() == [0.0, 0.0, 1.0]
