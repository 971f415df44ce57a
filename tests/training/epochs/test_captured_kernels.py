"""Training with kernels and captured steps: what a user of the trainer sees."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest
import torch
from torch import nn

from ipcae.decoders import CustomDecoder, Mlp
from ipcae.runs import Runs, Stream
from ipcae.training import Checkpoint, Plan, curve, train
from ipcae.training.epochs import captured
from ipcae.training.epochs.captured import CapturedEpochs
from ipcae.training.states.state import State
from tests.captured_problems import (
    COOLING,
    FEWEST,
    RUNS,
    TASKS,
    TWO_DRAWS,
    classification,
    data,
    trained,
)

pytestmark = pytest.mark.usefixtures("kernels")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


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


@pytest.mark.parametrize("name", TASKS)
def test_warming_up_changes_nothing(name, device):
    make, plan = TASKS[name]
    model, stated = make(device, plan)
    params = model.init(Stream(RUNS.seeds, device=device))
    state = State.begin(params, RUNS, plan)
    epochs = CapturedEpochs(model, stated, state)
    epochs.warm_up()
    assert epochs.graphs.seen == {*epochs.sequences, "finish"}
    for kept in (state.params, state.best.params):
        assert all(torch.equal(kept[name], tensor) for name, tensor in params.items())
    moments = [tensor for group in state.optimizer.moments for tensor in group.values()]
    assert not any(tensor.any() for tensor in (*moments, epochs.total))
    assert state.best.epoch == [-1, -1]
    assert state.optimizer.steps == 0


def test_steps_taken_early_change_nothing(device):
    plan = Plan(max_epochs=4, batch_size=2)
    model, stated = classification(device, plan, **FEWEST)
    early = trained(model, stated)
    seen = []
    watched = replace(stated, callbacks=(seen.append,))
    step_by_step = trained(model, watched)
    assert len(seen) == 4
    assert early.best_loss == step_by_step.best_loss
    losses = [curve(fit.history.columns(), "train_loss", 0) for fit in (early, step_by_step)]
    assert list(losses[0]) == list(losses[1])
    for name, tensor in early.params.items():
        assert torch.equal(tensor, step_by_step.params[name]), name


def test_a_large_state_is_not_copied_to_warm_up(device, monkeypatch):
    monkeypatch.setattr(captured, "_MOST_COPIED_BYTES", 100)
    model, stated = classification(device, Plan(max_epochs=2, batch_size=3))
    state = State.begin(model.init(Stream(RUNS.seeds, device=device)), RUNS, stated.plan)
    epochs = CapturedEpochs(model, stated, state)
    epochs.warm_up()
    assert not epochs.graphs.seen


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


def test_a_run_that_diverges_does_not_disturb_steps_taken_early(device):
    runs = Runs.of([1, 2], [3e38, 1e-2])
    plan = Plan(max_epochs=4, batch_size=3)
    model, stated = classification(device, plan, **FEWEST, runs=runs)
    fit = trained(model, stated)
    assert fit.status == ["diverged", "finished"]
    alone = trained(model, stated, runs.subset([1]))
    assert fit.best_epoch[1] == alone.best_epoch[0]
    for metric in ("train_loss", "validation_loss"):
        together = curve(fit.history.columns(), metric, 1)
        assert len(together) == 4
        by_itself = curve(alone.history.columns(), metric, 0)
        assert together == pytest.approx(by_itself, rel=1e-4)


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
