"""Kernels and captured steps do the same arithmetic as a plain loop."""

from dataclasses import dataclass, replace

import pytest
import torch
from torch.nn import functional

from ipcae.constraints import Constraints
from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy
from ipcae.ops import concrete_select, gjsd, group_rows
from ipcae.ops.run_linear import tensor_cores
from ipcae.ops.subset_select import NOISES, fused, reference
from ipcae.parametrizations import Direct
from ipcae.runs import Stream
from ipcae.schedules import Linear
from ipcae.selectors import Concrete, SelectThenDecode, Shape, Subset
from ipcae.training import Plan
from ipcae.training.batches import epoch_batches
from ipcae.training.epochs.plain import PlainEpochs
from ipcae.training.states.state import State
from tests.captured_problems import (
    COOLING,
    N_FEATURES,
    RUNS,
    TASKS,
    classification,
    data,
    take_epochs,
)
from tests.kernel_noise import read_noise
from tests.problems import problem

pytestmark = pytest.mark.usefixtures("kernels")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@dataclass(frozen=True)
class WithTheKernelsNoise(Concrete):
    """The same selector in plain PyTorch and float64, with the noise that the kernels use."""

    device: torch.device = torch.device("cpu")

    def select(self, params, rows, progress, stream):
        logits = self.logits(params)
        counter = Stream(stream.seeds, stream.step, self.device).next_counter()
        noise = read_noise(counter, group_rows(len(rows), self.noise_draws)[0], *logits.shape[1:])
        selected = concrete_select(
            logits,
            rows,
            self.temperature(progress),
            noise=noise.cpu().double(),
            straight_through=self.straight_through,
        )
        return selected, None


def step_by_step(model, stated, run, n_epochs):
    """Train one run in float64 with PyTorch's Adam; return its tensors and losses."""
    device, plan, seed = stated.rows.inputs.device, stated.plan, stated.runs.seeds[run]
    settings = {name: getattr(model.selector, name) for name in Concrete.__annotations__}
    model = replace(model, selector=WithTheKernelsNoise(**settings, device=device))
    params = {
        name: tensor.double().requires_grad_("buffer:" not in name)
        for name, tensor in model.init(Stream([seed])).items()
    }
    leaves = [tensor for tensor in params.values() if tensor.requires_grad]
    optimizer = torch.optim.Adam(leaves, weight_decay=plan.weight_decay)
    losses, step = [], 0
    for epoch in range(n_epochs):
        progress = epoch / plan.max_epochs
        optimizer.param_groups[0]["lr"] = stated.runs.learning_rates[run] * plan.schedule(progress)
        total = []
        for batch in epoch_batches(stated.rows, plan, epoch):
            x, y = batch.inputs.cpu().double(), batch.targets.cpu()
            outputs = model.predict(params, x, progress, Stream([seed], step))[0]
            if y.is_floating_point():
                rows = (outputs - x).square().mean(-1)
            else:
                rows = functional.cross_entropy(outputs, y, reduction="none")
            weights = torch.ones(len(x)) if batch.weights is None else batch.weights.cpu()
            total.append((rows * weights).sum() / weights.sum())
            objective = total[-1]
            if model.selector.regularizer:
                divergence = gjsd(model.logits(params))[0]
                objective = objective - stated.runs.penalty_weights[run] * divergence
            optimizer.zero_grad()
            objective.backward()
            optimizer.step()
            step += 1
        losses.append(torch.stack(total).mean().item())
    return params, losses


@pytest.mark.parametrize(
    ("name", "left_to_optimizer"), [*[(name, False) for name in TASKS], ("classification", True)]
)
def test_training_equals_a_plain_loop_with_the_same_noise(
    name, left_to_optimizer, device, monkeypatch
):
    if left_to_optimizer:  # the product of the factors of a gradient
        monkeypatch.setattr(tensor_cores, "LARGE", 1)
    make, plan = TASKS[name]
    (model, stated), (_, untouched) = make(device, plan), make(device, plan)
    state, figures = take_epochs(model, stated, 2)
    assert torch.equal(stated.rows.inputs, untouched.rows.inputs)
    assert torch.equal(stated.rows.targets, untouched.rows.targets)
    for run in range(2):
        params, losses = step_by_step(model, stated, run, 2)
        for key, tensor in params.items():
            found = state.params[key][run].detach().cpu().double()
            torch.testing.assert_close(found, tensor[0].detach(), rtol=1e-3, atol=1e-4, msg=key)
        assert [own["train_loss"][run] for own in figures] == pytest.approx(losses, rel=1e-4)


@pytest.mark.parametrize(
    "captured", [False, pytest.param(True, marks=needs_gpu)], ids=["eager", "captured"]
)
def test_draws_of_subsets_are_trained_as_in_plain_pytorch(captured, device):
    constraints = Constraints(N_FEATURES, avoided=(4,), groups=((0, 2),))
    method = Subset(temperature=COOLING, surplus=Linear(0.5, 0.0), noise_draws=2)
    model = method.model(Shape(Mlp(()), N_FEATURES, 3, 3), constraints)
    rows, validation = (data(n, device) for n in (6, 3))
    plan = Plan(max_epochs=3 if captured else 1, batch_size=3)
    stated = problem(CrossEntropy(), rows, validation, RUNS, plan)
    state, figures = take_epochs(model, stated, plan.max_epochs, captured)

    def draw_plainly(theta, counts, bits, noise):
        return reference.draw_subsets(theta, counts, NOISES[noise](bits))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused, "draw_subsets", draw_plainly)
        plain, expected = take_epochs(model, stated, plan.max_epochs, captured=False)
    for key, tensor in plain.params.items():
        torch.testing.assert_close(state.params[key], tensor, msg=key)
    for own, other in zip(figures, expected, strict=True):
        assert own == {metric: pytest.approx(values, rel=1e-5) for metric, values in other.items()}


def test_groups_and_a_price_are_trained_as_in_a_plain_loop(device):
    constraints = Constraints(
        N_FEATURES, groups=((0, 1, 2), (5, 6)), included=(3,), costs=(4.0,) * 9, budget=9.0
    )
    plan = Plan(max_epochs=4, batch_size=3)
    selector = Concrete(Direct(), COOLING, noise_draws=2)
    model = SelectThenDecode(selector, Mlp(()), N_FEATURES, 4, 3, constraints)
    _, stated = classification(device, plan)
    states = [take_epochs(model, stated, 2)[0]]
    params = model.init(Stream(stated.runs.seeds, device=device))
    state = State.begin(params, stated.runs, plan)
    epochs = PlainEpochs(model, stated, state)
    for _ in range(2):
        epochs.run()
        state.epoch += 1
    states.append(state)
    assert (states[0].params["price.buffer:price"] > 0).all()
    for name, tensor in states[0].params.items():
        torch.testing.assert_close(tensor, states[1].params[name], rtol=1e-3, atol=1e-4, msg=name)


@needs_gpu
@pytest.mark.parametrize("name", TASKS)
def test_captured_steps_equal_uncaptured_ones(name, device):
    make, plan = TASKS[name]
    model, stated = make(device, replace(plan, max_epochs=6))
    captured, figures = take_epochs(model, stated, 6)
    plain, plain_figures = take_epochs(model, stated, 6, captured=False)
    for key, tensor in plain.params.items():
        torch.testing.assert_close(captured.params[key], tensor, msg=key)
    for own, expected in zip(figures, plain_figures, strict=True):
        assert own == {
            metric: pytest.approx(values, rel=1e-5) for metric, values in expected.items()
        }
