"""Cox's partial likelihood: risk sets, weights, runs and chunks."""

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import CoxPartialLikelihood, mean_loss
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.tasks import Survival
from ipcae.training import Plan, Problem, train
from ipcae.training.epochs import validation
from tests.random_tensors import normal


@pytest.fixture
def sample():
    """Return outputs of two runs and targets with tied times."""
    random = torch.Generator().manual_seed(0)
    outputs = torch.randn(2, 40, 1, generator=random)
    time = torch.randint(1, 12, (40,), generator=random).float()
    event = (torch.rand(40, generator=random) < 0.6).float()
    return outputs, torch.stack([time, event], 1)


def by_definition(log_hazard, targets, weights):
    """Return the weighted log partial likelihood with Efron's ties, as R's coxph computes it."""
    hazard, total = np.exp(log_hazard), 0.0
    time, event = targets.T
    for t in np.unique(time[(event > 0) & (weights > 0)]):
        dead = (time == t) & (event > 0) & (weights > 0)
        risk, tied = (weights * hazard)[time >= t].sum(), (weights * hazard)[dead].sum()
        n, mean = dead.sum(), weights[dead].mean()
        total += (weights * log_hazard)[dead].sum()
        total -= mean * sum(np.log(risk - k / n * tied) for k in range(n))
    return total


@pytest.mark.parametrize("zeros", [False, True], ids=["positive weights", "some weights of zero"])
def test_the_weighted_loss_is_the_definition(sample, zeros):
    outputs, targets = sample[0].double(), sample[1].double()
    weights = torch.linspace(0.2, 3, 40).double()
    if zeros:
        weights[::3] = 0
    losses = CoxPartialLikelihood().per_row(outputs, targets, weights)
    for run in range(2):
        expected = by_definition(outputs[run, :, 0].numpy(), targets.numpy(), weights.numpy())
        assert (losses[run] * weights).sum().item() == pytest.approx(-expected, rel=1e-10)


def test_every_run_may_have_its_own_rows(sample):
    outputs, targets = sample
    folds = torch.stack([torch.arange(40) % 2, 1 - torch.arange(40) % 2]).float()
    losses = CoxPartialLikelihood().per_row(outputs, targets, folds)
    for run in range(2):
        own = folds[run] > 0
        alone = CoxPartialLikelihood().per_row(outputs[run : run + 1, own], targets[own])
        assert mean_loss(losses, folds)[run].item() == pytest.approx(alone.mean().item(), rel=1e-5)


def test_rows_of_weight_zero_have_no_gradient(sample):
    outputs, targets = sample
    outputs.requires_grad_()
    weights = torch.ones(40)
    weights[targets[:, 0].argmax()] = weights[3] = 0
    losses = CoxPartialLikelihood().per_row(outputs, targets, weights)
    mean_loss(losses, weights).sum().backward()
    assert torch.isfinite(outputs.grad).all()
    assert (outputs.grad[:, weights == 0] == 0).all()
    assert (outputs.grad[:, weights > 0] != 0).any()


def test_the_order_of_the_rows_does_not_matter(sample):
    outputs, targets = sample
    order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
    losses = CoxPartialLikelihood().per_row(outputs, targets)
    shuffled = CoxPartialLikelihood().per_row(outputs[:, order], targets[order])
    torch.testing.assert_close(shuffled, losses[:, order])


def test_extreme_risks_have_finite_losses_and_gradients(sample):
    outputs, targets = sample
    extreme = (200 * outputs).requires_grad_()
    losses = CoxPartialLikelihood().per_row(extreme, targets)
    losses.mean().backward()
    assert torch.isfinite(losses).all()
    assert torch.isfinite(extreme.grad).all()


def test_batched_equals_alone(sample):
    outputs, targets = sample
    outputs.requires_grad_()
    together = CoxPartialLikelihood().per_row(outputs, targets)
    gradient = torch.autograd.grad(together.sum(), outputs)[0]
    for run in range(2):
        own = outputs[run : run + 1].detach().requires_grad_()
        alone = CoxPartialLikelihood().per_row(own, targets)
        assert torch.equal(alone[0], together[run])
        assert torch.equal(torch.autograd.grad(alone.sum(), own)[0][0], gradient[run])


def test_evaluation_in_chunks_is_the_loss_of_all_rows(sample, monkeypatch):
    _, targets = sample
    inputs = normal(40, 3, seed=2)
    model, rows = FixedSelection(Mlp((8,)), 3, 1), Rows(inputs, targets)
    params = model.init(Stream([0, 1])) | {"buffer:features": torch.arange(3).repeat(2, 1)}
    whole, _ = validation.evaluate(model, CoxPartialLikelihood(), params, rows)
    monkeypatch.setattr(validation, "_NUMBERS_AT_ONCE", 512 * 7)
    in_parts, _ = validation.evaluate(model, CoxPartialLikelihood(), params, rows)
    torch.testing.assert_close(in_parts, whole)
    first = CoxPartialLikelihood().per_row(model.predict(params, inputs)[:, :7], targets[:7])
    assert (first.mean(-1) < 0.9 * whole).all()  # fewer rows at risk


def test_a_batch_without_events_changes_nothing():
    inputs = normal(8, 3)
    rows = Rows(inputs, torch.stack([torch.arange(8.0), torch.zeros(8)], 1))
    model = FixedSelection(Mlp((4,)), 3, 1)
    start = model.init(Stream([0])) | {"buffer:features": torch.arange(3)[None]}
    problem = Problem(
        Survival(), CoxPartialLikelihood(), rows, rows, Runs.of([0]), Plan(2, 4, keep_last=True)
    )
    fit = train(model, problem, start={name: t.clone() for name, t in start.items()})
    assert fit.status == ["finished"]
    assert all(torch.equal(fit.params[name], tensor) for name, tensor in start.items())


def test_shapes_and_ties_are_checked(sample):
    outputs, targets = sample
    with pytest.raises(InputError, match="expected one output per row, and its time and event"):
        CoxPartialLikelihood().per_row(outputs, targets[:, :1])
    with pytest.raises(InputError, match="ties='exact' is not understood"):
        CoxPartialLikelihood("exact")
