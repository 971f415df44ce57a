"""The training loop: many runs at once, the best state of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ipcae.losses import Loss, mean_loss
from ipcae.models import Model, Params
from ipcae.runs import Runs, Stream
from ipcae.training.batches import count_batches, epoch_batches, whole_batches
from ipcae.training.checkpoint import Checkpoint, fingerprint
from ipcae.training.history import History
from ipcae.training.interrupt import interruptible
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import DIVERGED, INTERRUPTED, STOPPED, State


@dataclass(frozen=True)
class EpochReport:
    """What a callback learns after every epoch: means over the runs that trained in it.

    ``model`` and ``params`` are the model and the tensors of the runs that trained, at this
    moment: to be looked at before the callback returns, and not to be changed.
    """

    epoch: int
    max_epochs: int
    metrics: dict[str, float]
    n_active: int
    last: bool = False
    model: Model | None = field(default=None, repr=False)
    params: Params = field(default_factory=dict, repr=False)


Callback = Callable[[EpochReport], None]


@dataclass(frozen=True)
class Fit:
    """What training found.

    Attributes
    ----------
    params : dict of Tensor
        The best state of every run, the run axis first.
    best_loss, best_epoch : list
        Lowest validation loss of every run, and when; infinity and −1 if it had none.
    status : list of str
        How every run ended: finished, stopped early, diverged or interrupted.
    history : History
    seconds : float
    """

    params: Params
    best_loss: list[float]
    best_epoch: list[int]
    status: list[str]
    history: History
    seconds: float


def train(
    model: Model,
    loss: Loss,
    rows: Rows,
    validation: Rows,
    runs: Runs,
    plan: Plan,
    *,
    start: Params | None = None,
    callbacks: tuple[Callback, ...] = (),
    checkpoint: Checkpoint | None = None,
) -> Fit:
    """Train all runs together and keep the best state of each on the validation rows.

    A run that diverges, or has waited longer than the plan's patience, leaves the batch; the
    others go on as if it had never been there. Ctrl-C ends training after the current epoch.

    Parameters
    ----------
    start : dict of Tensor, optional
        Begin with these tensors, and count them as a first candidate for the best state.
    callbacks : tuple of functions
        Each is called with an :class:`EpochReport` after every epoch.
    checkpoint : Checkpoint, optional
        Save the state now and then, and continue from there.
    """
    validation = whole_batches(validation, plan)
    params = model.init(Stream(runs.seeds, device=rows.inputs.device)) if start is None else start
    state = State.begin(params, runs, plan)
    if start is not None:
        losses = evaluate(model, loss, state.params, validation)[0].tolist()
        state.best.update(-1, state.active, losses, state.params)
    mark = ""
    if checkpoint is not None:
        mark = fingerprint(model, loss, runs, plan, rows, validation)
        state = checkpoint.restore(state, mark)
    began = time.perf_counter() - state.seconds
    with _flushed_denormals(), interruptible() as interrupt:
        while state.epoch < plan.max_epochs and state.active:
            train_loss = _one_epoch(model, loss, rows, runs.subset(state.active), plan, state)
            metrics = _metrics(model, loss, validation, plan, state, train_loss)
            for name, values in metrics.items():
                state.history.add(state.epoch, name, state.active, values)
            state.best.update(state.epoch, state.active, metrics["validation_loss"], state.params)
            going_on = _going_on(state, metrics, plan.patience)
            done = state.epoch + 1 == plan.max_epochs or not going_on
            for callback in callbacks:
                callback(_report(model, state, plan, metrics, done or interrupt.requested))
            stopped = interrupt.requested
            state.keep(going_on)
            state.epoch += 1
            state.seconds = time.perf_counter() - began
            if checkpoint is not None and (done or stopped or state.epoch % checkpoint.every == 0):
                checkpoint.save(state, mark)
            if stopped:
                for run in state.active:
                    state.status[run] = INTERRUPTED
                break
    best = state.best
    return Fit(best.params, best.loss, best.epoch, state.status, state.history, state.seconds)


def _going_on(state: State, metrics: dict[str, list[float]], patience: int | None) -> list[int]:
    """Return the positions of the runs that go on, and note why the others do not."""
    positions = []
    for i, run in enumerate(state.active):
        if not math.isfinite(metrics["train_loss"][i] + metrics["validation_loss"][i]):
            state.status[run] = DIVERGED
        elif patience is not None and state.epoch - state.best.epoch[run] >= patience:
            state.status[run] = STOPPED
        else:
            positions.append(i)
    return positions


def _one_epoch(
    model: Model,
    loss: Loss,
    rows: Rows,
    runs: Runs,
    plan: Plan,
    state: State,
) -> Tensor:
    """Take the steps of one epoch and return the mean training loss of every run, (R,)."""
    epoch, params, optimizer = state.epoch, state.params, state.optimizer
    progress = epoch / plan.max_epochs
    factor = plan.schedule(progress)
    device = rows.inputs.device
    n_batches = count_batches(len(rows), plan)
    penalty_weights = torch.tensor(runs.penalty_weights, device=device)
    step_size = factor * torch.tensor(runs.learning_rates, device=device)
    trained = [params[name] for name in optimizer.names]
    total = torch.zeros(len(runs), device=device)
    for i, batch in enumerate(epoch_batches(rows, plan, epoch)):
        stream = Stream(runs.seeds, epoch * n_batches + i, device)
        outputs = model.predict(params, batch.inputs, progress, stream)
        losses = mean_loss(loss.per_row(outputs, batch.targets), batch.weights)
        penalty = model.penalty(params)
        objective = losses if penalty is None else losses + penalty_weights * penalty
        gradients = torch.autograd.grad(objective.sum(), trained)
        optimizer.step(gradients, factor)
        with torch.no_grad():
            model.after_step(params, progress, step_size)
        total += losses.detach()
    return total / n_batches


@torch.no_grad()
def evaluate(model: Model, loss: Loss, params: Params, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return every run's loss and metric on these rows, each of shape (R,)."""
    outputs = model.predict(params, rows.inputs)
    return (
        mean_loss(loss.per_row(outputs, rows.targets), rows.weights),
        mean_loss(loss.measure(outputs, rows.targets), rows.weights),
    )


@torch.no_grad()
def _metrics(
    model: Model,
    loss: Loss,
    validation: Rows,
    plan: Plan,
    state: State,
    train_loss: Tensor,
) -> dict[str, list[float]]:
    validation_loss, measured = evaluate(model, loss, state.params, validation)
    metrics = {"train_loss": train_loss, "validation_loss": validation_loss}
    if loss.metric != "loss":
        metrics[f"validation_{loss.metric}"] = measured
    metrics |= model.describe(state.params, state.epoch / plan.max_epochs)
    values = torch.stack(list(metrics.values())).tolist()
    return dict(zip(metrics, values, strict=True))


def _report(
    model: Model, state: State, plan: Plan, metrics: dict[str, list[float]], last: bool
) -> EpochReport:
    means = {name: sum(values) / len(values) for name, values in metrics.items()}
    n_active = len(metrics["train_loss"])
    params = {name: tensor.detach() for name, tensor in state.params.items()}
    return EpochReport(state.epoch, plan.max_epochs, means, n_active, last, model, params)


@contextmanager
def _flushed_denormals() -> Iterator[None]:
    """At low temperature the softmax is full of denormal numbers, which are slow on CPUs."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
