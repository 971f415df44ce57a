"""Sample weights: a row with weight zero has no effect."""

import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.parametrizations import Full
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Plan, curve, train
from tests.problems import problem

RUNS = Runs.of([1, 2], 1e-2)


def fit_full_batch(rows, validation, draws, loss):
    """Train on all rows at once, in the order they lie."""
    n_outputs = 3 if isinstance(loss, CrossEntropy) else 9
    selector = Concrete(Full(size=4), noise_draws=draws)
    model = SelectThenDecode(selector, Mlp((8,), dropout=0.2), 9, 3, n_outputs)
    plan = Plan(max_epochs=6, batch_size=len(rows), shuffle=False)
    return train(model, problem(loss, rows, validation, RUNS, plan))


def assert_same_training(one, other):
    for name, tensor in one.params.items():
        torch.testing.assert_close(tensor, other.params[name], rtol=1e-4, atol=1e-5)
    for metric in ("train_loss", "validation_loss", "validation_accuracy", "validation_error"):
        curves = [curve(fit.history.columns(), metric, 1) for fit in (one, other)]
        assert curves[0] == pytest.approx(curves[1], rel=1e-4)


@pytest.fixture(params=[CrossEntropy(), SquaredError()], ids=["classes", "reconstruction"])
def task(request, rows, validation):
    """Return a loss with rows and validation rows for it."""
    if isinstance(request.param, CrossEntropy):
        return request.param, rows, validation
    return request.param, *(Rows(part.inputs) for part in (rows, validation))


# Noise and dropout of the first rows do not depend on how many follow, but for grouped draws.
@pytest.mark.parametrize("draws", [1, "row"])
def test_a_row_without_weight_is_as_if_it_were_not_there(draws, task):
    loss, rows, validation = task
    weights = torch.ones(len(rows))
    weights[-5:] = 0
    weighted = Rows(rows.inputs, rows.given_targets, weights)
    with_rows = fit_full_batch(weighted, validation, draws, loss)
    without = fit_full_batch(rows.take(slice(len(rows) - 5)), validation, draws, loss)
    assert_same_training(with_rows, without)


def test_a_row_without_weight_may_hold_anything(rows, validation):
    weights = torch.ones(len(rows))
    weights[-1] = 0
    absurd = rows.inputs.clone()
    absurd[-1] = 1e3
    fits = [
        fit_full_batch(Rows(inputs, rows.given_targets, weights), validation, 1, CrossEntropy())
        for inputs in (rows.inputs, absurd)
    ]
    assert_same_training(*fits)


def test_equal_weights_change_nothing(task):
    loss, rows, validation = task
    weighted = Rows(rows.inputs, rows.given_targets, torch.full((len(rows),), 3.0))
    assert_same_training(
        fit_full_batch(weighted, validation, 1, loss), fit_full_batch(rows, validation, 1, loss)
    )


def test_a_row_that_weighs_twice_counts_as_two(rows, validation):
    # Without dropout and with one draw, nothing depends on the number of rows.
    model = SelectThenDecode(Concrete(Full(size=4), noise_draws=1), Mlp((8,)), 9, 3, 3)
    twice = rows.take(torch.arange(len(rows)).repeat_interleave(torch.tensor([2] + [1] * 42)))
    weights = torch.ones(len(rows))
    weights[0] = 2
    fits = [
        train(
            model,
            problem(
                CrossEntropy(),
                own,
                validation,
                RUNS,
                Plan(max_epochs=6, batch_size=len(own), shuffle=False),
            ),
        )
        for own in (twice, Rows(rows.inputs, rows.given_targets, weights))
    ]
    assert_same_training(*fits)


def test_validation_weights_decide_which_epoch_is_best(rows, validation):
    halves = []
    for half in (slice(0, 8), slice(8, 17)):
        weights = torch.zeros(17)
        weights[half] = 1
        weighted = Rows(validation.inputs, validation.given_targets, weights)
        fit = fit_full_batch(rows, weighted, 1, CrossEntropy())
        alone = fit_full_batch(rows, validation.take(half), 1, CrossEntropy())
        assert fit.best_loss == pytest.approx(alone.best_loss, rel=1e-5)
        halves.append(fit.best_loss)
    assert halves[0] != halves[1]


def test_a_batch_without_weight_changes_no_parameter(rows, validation):
    nothing = Rows(rows.inputs, rows.given_targets, torch.zeros(len(rows)))
    fit = fit_full_batch(nothing, validation, 1, CrossEntropy())
    still = curve(fit.history.columns(), "validation_loss", 0)
    assert fit.status == ["finished", "finished"]
    assert len(set(still)) == 1
