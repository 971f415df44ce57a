"""Adam along the run axis against PyTorch's Adam on every run by itself."""

import pytest
import torch

from ipcae.losses import CrossEntropy
from ipcae.runs import Runs
from ipcae.schedules import Constant, Warmup
from ipcae.training import Plan, train
from ipcae.training.adam import Adam
from tests.problems import problem

RATES = (1e-3, 0.1, 1e-3, 0.02)
SHAPES = {"a": (5, 3), "b": (7,), "c": (1,)}


def tensors(dtype):
    generator = torch.Generator().manual_seed(0)
    return {
        name: torch.randn(len(RATES), *shape, generator=generator, dtype=dtype)
        for name, shape in SHAPES.items()
    }


def gradients(step, dtype):
    generator = torch.Generator().manual_seed(100 + step)
    return [
        torch.randn(len(RATES), *shape, generator=generator, dtype=dtype)
        for shape in SHAPES.values()
    ]


def with_torch(run, rate, n_steps, weight_decay, factors, dtype):
    """Train one run's slices with ``torch.optim.Adam``."""
    params = [tensor[run].clone().requires_grad_() for tensor in tensors(dtype).values()]
    optimizer = torch.optim.Adam(params, lr=rate, weight_decay=weight_decay)
    for step in range(n_steps):
        optimizer.param_groups[0]["lr"] = rate * factors(step / n_steps)
        for param, gradient in zip(params, gradients(step, dtype), strict=True):
            param.grad = gradient[run].clone()
        optimizer.step()
    return [param.detach() for param in params]


def leaves(dtype):
    return {name: tensor.requires_grad_() for name, tensor in tensors(dtype).items()}


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("factors", [Constant(), Warmup(0.5, 1e-3)], ids=["constant", "warm-up"])
@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(torch.float64, 1e-12), (torch.float32, 1e-5)],
    ids=["double", "single"],
)
def test_every_run_moves_as_pytorchs_adam_moves_it(weight_decay, factors, dtype, tolerance):
    params, n_steps = leaves(dtype), 20
    optimizer = Adam(params, RATES, weight_decay)
    for step in range(n_steps):
        optimizer.step(gradients(step, dtype), factors(step / n_steps))
    for run, rate in enumerate(RATES):
        expected = with_torch(run, rate, n_steps, weight_decay, factors, dtype)
        moved = [tensor[run].detach() for tensor in params.values()]
        torch.testing.assert_close(moved, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kept", [[0, 1, 3], [2], [3, 0]], ids=str)
def test_the_remaining_runs_are_updated_as_if_none_had_stopped(kept):
    params, n_steps = leaves(torch.float64), 10
    optimizer = Adam(params, RATES, 0.0)
    for step in range(5):
        optimizer.step(gradients(step, torch.float64), 1.0)
    params = {name: tensor.detach()[kept].requires_grad_() for name, tensor in params.items()}
    optimizer.keep(torch.tensor(kept), params)
    for step in range(5, n_steps):
        optimizer.step([gradient[kept] for gradient in gradients(step, torch.float64)], 1.0)
    for position, run in enumerate(kept):
        expected = with_torch(run, RATES[run], n_steps, 0.0, Constant(), torch.float64)
        moved = [tensor[position].detach() for tensor in params.values()]
        torch.testing.assert_close(moved, expected, rtol=1e-12, atol=1e-12)


def test_gradients_in_another_memory_layout_give_the_same_step():
    results = []
    for layout in (lambda t: t, lambda t: t.transpose(-1, -2).contiguous().transpose(-1, -2)):
        params = {"a": tensors(torch.float32)["a"].requires_grad_()}
        Adam(params, RATES, 0.0).step([layout(gradients(0, torch.float32)[0])], 1.0)
        results.append(params["a"].detach())
    assert torch.equal(*results)


def test_tensors_without_gradient_are_left_alone():
    params = leaves(torch.float32)
    params["buffer:d"] = torch.ones(len(RATES), 2)
    optimizer = Adam(params, RATES, 0.5)
    optimizer.step(gradients(0, torch.float32), 1.0)
    assert torch.equal(params["buffer:d"], torch.ones(len(RATES), 2))


def test_a_factor_of_zero_moves_nothing():
    params, before = leaves(torch.float32), tensors(torch.float32)
    Adam(params, RATES, 0.0).step(gradients(0, torch.float32), 0.0)
    assert all(torch.equal(params[name].detach(), tensor) for name, tensor in before.items())


def test_training_multiplies_the_learning_rate_by_the_schedule(model, rows, validation):
    def trained(rate, schedule):
        plan = Plan(max_epochs=3, batch_size=16, schedule=schedule)
        fit = train(model, problem(CrossEntropy(), rows, validation, Runs.of([1], rate), plan))
        return fit.params

    half = trained(1e-2, Constant(0.5))
    whole = trained(5e-3, Constant())
    full = trained(1e-2, Constant())
    for name, tensor in whole.items():
        torch.testing.assert_close(half[name], tensor)
    assert not torch.allclose(half["decoder.0.weight"], full["decoder.0.weight"])


def test_training_asks_the_schedule_once_per_epoch(model, rows, validation):
    asked = []

    def schedule(progress):
        asked.append(progress)
        return 1.0

    plan = Plan(max_epochs=4, batch_size=16, schedule=schedule)
    train(model, problem(CrossEntropy(), rows, validation, Runs.of([1]), plan))
    assert asked == [0.0, 0.25, 0.5, 0.75]


def test_weight_decay_shrinks_what_the_loss_does_not_need(model, rows, validation):
    norms = []
    for weight_decay in (0.0, 1.0):
        plan = Plan(max_epochs=30, batch_size=16, weight_decay=weight_decay)
        fit = train(model, problem(CrossEntropy(), rows, validation, Runs.of([1], 1e-2), plan))
        norms.append(fit.params["selector.embedding"].norm().item())
    assert norms[1] < norms[0]
