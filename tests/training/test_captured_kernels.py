"""Training with kernels and captured steps: the same arithmetic as a plain loop."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest
import torch
from torch import nn
from torch.nn import functional

from ipcae.constraints import Constraints
from ipcae.decoders import CustomDecoder, Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.ops import concrete_select, group_rows
from ipcae.ops.run_linear import tensor_cores
from ipcae.ops.subset_select import NOISES, fused, reference
from ipcae.parametrizations import Direct, Full
from ipcae.regularizers import Gjsd, gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.schedules import Exponential, Linear, Warmup
from ipcae.selectors import Concrete, SelectThenDecode, Shape, Subset
from ipcae.training import Checkpoint, Plan, curve, train
from ipcae.training.batches import epoch_batches
from ipcae.training.captured import CapturedEpochs
from ipcae.training.epochs import PlainEpochs
from ipcae.training.state import State
from tests.kernel_noise import read_noise
from tests.problems import problem

pytestmark = pytest.mark.usefixtures("kernels")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

N_FEATURES = 12
RUNS = Runs.of([1, 2], [1e-2, 3e-2], penalty_weight=[0.0, 0.3])
COOLING = Exponential(5.0, 0.1)
SMALL = Mlp((5,))
SKIPPING = Mlp((5,), skip=True)
# The interpreter takes its time for every tensor: one in the selector, two in the decoder.
FEWEST = {"selector": Concrete(Direct(), COOLING, noise_draws=2), "decoder": Mlp(())}
TWO_DRAWS = Concrete(Full(size=4), COOLING, noise_draws=2, regularizer=Gjsd())


def data(n_rows, device, classes=3, weighted=False):
    """Return rows with class numbers, or with themselves as their targets."""
    generator = torch.Generator().manual_seed(n_rows)
    x = torch.randn(n_rows, N_FEATURES, generator=generator).to(device)
    weights = torch.rand(n_rows, generator=generator).to(device) if weighted else None
    return Rows(x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long() if classes else None, weights)


def classification(device, plan, selector=TWO_DRAWS, decoder=SMALL, runs=RUNS):
    model = SelectThenDecode(selector, decoder, N_FEATURES, 3, 3)
    rows, validation = (data(n, device, weighted=True) for n in (7, 3))
    return model, problem(CrossEntropy(), rows, validation, runs, plan)


def reconstruction(device, plan):
    selector = Concrete(Full(size=4), COOLING, noise_draws="row", straight_through=True)
    model = SelectThenDecode(
        selector, SKIPPING, N_FEATURES, 3, N_FEATURES, Constraints(N_FEATURES, avoided=(4,))
    )
    rows, validation = (data(n, device, classes=0) for n in (5, 3))
    return model, problem(SquaredError(), rows, validation, RUNS, plan)


TASKS = {
    # 3, 3 and 1 rows, in a new order every epoch.
    "classification": (
        classification,
        Plan(max_epochs=4, batch_size=3, schedule=Warmup(0.5, 0.1)),
    ),
    # 2, 2 and 1 rows, always in the same order.
    "reconstruction": (
        reconstruction,
        Plan(max_epochs=4, batch_size=2, shuffle=False, weight_decay=0.1),
    ),
}


def take_epochs(model, stated, n_epochs, captured=True):
    """Train for some epochs; return the state and the figures of every epoch."""
    params = model.init(Stream(stated.runs.seeds, device=stated.rows.inputs.device))
    state, figures = State.begin(params, stated.runs, stated.plan), []
    epochs = CapturedEpochs(model, stated, state)
    epochs.graphs.capturable &= captured
    for _ in range(n_epochs):
        figures.append(epochs.run())
        state.epoch += 1
    return state, figures


def trained(model, stated, runs=None):
    return train(model, replace(stated, runs=runs or stated.runs))


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


@pytest.mark.parametrize("name", TASKS)
def test_compiling_beforehand_changes_nothing(name, device):
    make, plan = TASKS[name]
    (model, stated), (_, untouched) = make(device, plan), make(device, plan)
    params = model.init(Stream(RUNS.seeds, device=device))
    state = State.begin(params, RUNS, plan)
    CapturedEpochs(model, stated, state).prepare()
    assert torch.equal(stated.rows.inputs, untouched.rows.inputs)
    assert all(torch.equal(state.params[name], tensor) for name, tensor in params.items())
    moments = [tensor for group in state.optimizer.moments for tensor in group.values()]
    assert not any(tensor.any() for tensor in moments)
    assert state.best.epoch == [-1, -1]


def test_compiling_beforehand_leaves_running_statistics_alone(device):
    def network(n_inputs, n_outputs):
        return nn.Sequential(nn.Linear(n_inputs, 4), nn.BatchNorm1d(4), nn.Linear(4, n_outputs))

    plan = Plan(max_epochs=4, batch_size=3, drop_last=True)
    model, stated = classification(device, plan, decoder=CustomDecoder(network))
    params = model.init(Stream(RUNS.seeds, device=device))
    state = State.begin({name: tensor.clone() for name, tensor in params.items()}, RUNS, plan)
    CapturedEpochs(model, stated, state).prepare()
    assert any("running_mean" in name for name in params)
    assert all(torch.equal(state.params[name], tensor) for name, tensor in params.items())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [0, 3])
def test_a_copy_of_rows_has_memory_of_its_own(classes, weighted, device):
    rows = data(5, device, classes, weighted)
    before = data(5, device, classes, weighted)
    for source in (rows, rows.take(slice(4))):
        copy = source.copy()
        assert (copy.targets is copy.inputs) == (classes == 0)
        for tensor in (copy.inputs, copy.targets, copy.weights):
            if tensor is not None:
                tensor.zero_()
    assert torch.equal(rows.inputs, before.inputs)
    assert torch.equal(rows.targets, before.targets)
    assert not weighted or torch.equal(rows.weights, before.weights)


@dataclass(frozen=True)
class OneForAll:
    """A penalty that all runs share, with or without a gradient."""

    constant: bool
    weight: float = 1.0

    def penalty(self, logits):
        return torch.ones((), device=logits.device) if self.constant else logits.square().mean()


@pytest.mark.parametrize("constant", [False, True])
def test_a_penalty_may_be_one_number(constant, device):
    plan = Plan(max_epochs=2, batch_size=4)
    selector = replace(TWO_DRAWS, regularizer=OneForAll(constant))
    params = [
        trained(*classification(device, plan, selector, runs=runs)).params["selector.bias"][0]
        for runs in (Runs.of([1], 1e-2, weight) for weight in (0.0, 9.0))
    ]
    assert torch.equal(*params) == constant


def test_a_run_of_a_batch_equals_the_run_alone(device):
    plan, decoder = Plan(max_epochs=2, batch_size=4), Mlp((5,), dropout=0.3, normalize=False)
    model, stated = classification(device, plan, FEWEST["selector"], decoder)
    together, alone = trained(model, stated), trained(model, stated, RUNS.subset([1]))
    assert alone.best_epoch[0] == together.best_epoch[1]
    assert alone.best_loss[0] == pytest.approx(together.best_loss[1], rel=1e-4)
    for name, tensor in alone.params.items():
        expected = together.params[name][1]
        torch.testing.assert_close(tensor[0], expected, rtol=1e-3, atol=1e-4, msg=name)


def test_a_run_that_leaves_early_does_not_disturb_the_others(device):
    plan = Plan(max_epochs=4, batch_size=4, patience=1)
    model, stated = classification(device, plan, **FEWEST)
    # The last bits differ between devices: take a seed that gets better in the second epoch.
    for seed in range(2, 9):
        runs = Runs.of([1, seed], [0.0, 1e-2])
        alone = trained(model, stated, runs.subset([1])).history.columns()
        if len(curve(alone, "train_loss", 0)) > 2:
            break
    fit = trained(model, stated, runs)
    assert fit.status[0] == "stopped early"
    assert fit.best_epoch[0] == 0
    columns = fit.history.columns()
    assert len(curve(columns, "train_loss", 0)) == 2
    start = model.init(Stream(runs.seeds, device=device))
    assert all(torch.equal(fit.params[name][0], tensor[0]) for name, tensor in start.items())

    assert len(curve(columns, "train_loss", 1)) > 2
    for metric in ("train_loss", "validation_loss"):
        assert curve(columns, metric, 1) == pytest.approx(curve(alone, metric, 0), rel=1e-4)


def test_the_history_tells_the_temperature_and_the_best_epoch(device):
    model, stated = classification(device, Plan(max_epochs=3, batch_size=4), **FEWEST)
    fit = trained(model, stated)
    columns = fit.history.columns()
    for run in range(2):
        losses = curve(columns, "validation_loss", run)
        assert fit.best_loss[run] == losses.min()
        assert fit.best_epoch[run] == losses.argmin()
        temperatures = [COOLING(epoch / 3) for epoch in range(3)]
        assert curve(columns, "temperature", run) == pytest.approx(temperatures, rel=1e-6)


def test_an_interrupted_training_goes_on_as_if_nothing_had_been(device, tmp_path):
    plan = Plan(max_epochs=2, batch_size=4)
    model, stated = classification(device, plan, **FEWEST, runs=RUNS.subset([1]))
    whole = trained(model, stated)

    class PowerCutError(Exception):
        pass

    def power_cut(report):
        if report.epoch == 1:
            raise PowerCutError

    checkpoint = Checkpoint(tmp_path, every=1)
    with pytest.raises(PowerCutError):
        train(model, replace(stated, callbacks=(power_cut,), checkpoint=checkpoint))
    resuming = replace(checkpoint, resume=True)
    resumed = train(model, replace(stated, checkpoint=resuming))
    assert resumed.best_loss == pytest.approx(whole.best_loss, rel=1e-5)
    for name, tensor in whole.params.items():
        torch.testing.assert_close(resumed.params[name], tensor, msg=name)


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


@needs_gpu
def test_a_decoder_that_cannot_be_captured_trains_all_the_same(device, caplog):
    decoder = CustomDecoder(
        lambda n, m: nn.Sequential(nn.Linear(n, 5), nn.Dropout(0.2), nn.Linear(5, m))
    )
    model, stated = classification(device, Plan(max_epochs=4, batch_size=3), decoder=decoder)
    with caplog.at_level(logging.WARNING, logger="ipcae"):
        fit = trained(model, stated)
    assert "without CUDA graphs" in caplog.text
    assert fit.status == ["finished", "finished"]
    assert len(curve(fit.history.columns(), "train_loss", 0)) == 4


@needs_gpu
def test_trainings_in_two_threads_equal_trainings_one_after_another(device):
    # Different widths, so that one training compiles its kernels while the other trains.
    tasks = [
        classification(device, Plan(max_epochs=6, batch_size=3), decoder=Mlp((width,)))
        for width in (5, 17, 33, 65, 130, 6)
    ]
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda task: trained(*task), tasks))
    for task, fit in zip(tasks, together, strict=True):
        alone = trained(*task)
        assert fit.best_epoch == alone.best_epoch
        for name, tensor in alone.params.items():
            torch.testing.assert_close(fit.params[name], tensor, msg=name)


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
