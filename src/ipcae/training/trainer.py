"""The training loop: many runs at once, the best state of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.losses import Loss, mean_loss
from ipcae.models import Model, Params
from ipcae.runs import Runs, Stream
from ipcae.training.batches import count_batches, epoch_batches, whole_batches
from ipcae.training.best import Best
from ipcae.training.history import History
from ipcae.training.interrupt import interruptible
from ipcae.training.optimizer import Adam
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows

FINISHED, STOPPED, DIVERGED, INTERRUPTED = "finished", "stopped early", "diverged", "interrupted"


@dataclass(frozen=True)
class EpochReport:
    """What a callback learns after every epoch: means over the runs that trained in it."""

    epoch: int
    max_epochs: int
    metrics: dict[str, float]
    n_active: int
    last: bool = False


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
    """
    device = rows.inputs.device
    began = time.perf_counter()
    validation = whole_batches(validation, plan)
    params = model.init(Stream(runs.seeds, device=device)) if start is None else start
    params = {name: _leaf(name, tensor) for name, tensor in params.items()}
    optimizer = Adam(params, runs.learning_rates, plan.weight_decay)
    active = list(range(len(runs)))
    status = [FINISHED] * len(runs)
    best, history = Best(params), History()
    if start is not None:
        best.update(-1, active, evaluate(model, loss, params, validation)[0].tolist(), params)

    with _flushed_denormals(), interruptible() as interrupt:
        for epoch in range(plan.max_epochs):
            progress = epoch / plan.max_epochs
            train_loss = _one_epoch(
                model, loss, rows, runs.subset(active), plan, epoch, params, optimizer
            )
            metrics = _metrics(model, loss, params, validation, progress, train_loss)
            for name, values in metrics.items():
                history.add(epoch, name, active, values)
            best.update(epoch, active, metrics["validation_loss"], params)
            keep = []
            for i, run in enumerate(active):
                if not math.isfinite(metrics["train_loss"][i] + metrics["validation_loss"][i]):
                    status[run] = DIVERGED
                elif plan.patience is not None and epoch - best.epoch[run] >= plan.patience:
                    status[run] = STOPPED
                else:
                    keep.append(i)
            done = epoch + 1 == plan.max_epochs or not keep
            for callback in callbacks:
                callback(_report(epoch, plan, metrics, done or interrupt.requested))
            if interrupt.requested and not done:
                for i in keep:
                    status[active[i]] = INTERRUPTED
                break
            if len(keep) < len(active):
                active = [active[i] for i in keep]
                if not active:
                    break
                index = torch.tensor(keep, device=device)
                params = {n: _leaf(n, t.detach()[index]) for n, t in params.items()}
                optimizer.keep(index, params)
    seconds = time.perf_counter() - began
    return Fit(best.params, best.loss, best.epoch, status, history, seconds)


def _one_epoch(
    model: Model,
    loss: Loss,
    rows: Rows,
    runs: Runs,
    plan: Plan,
    epoch: int,
    params: Params,
    optimizer: Adam,
) -> Tensor:
    """Take the steps of one epoch and return the mean training loss of every run, (R,)."""
    progress = epoch / plan.max_epochs
    factor = plan.schedule(progress)
    device = rows.inputs.device
    n_batches = count_batches(len(rows), plan)
    penalty_weights = torch.tensor(runs.penalty_weights, device=device)
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
        model.after_step(params)
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
    params: Params,
    validation: Rows,
    progress: float,
    train_loss: Tensor,
) -> dict[str, list[float]]:
    validation_loss, measured = evaluate(model, loss, params, validation)
    metrics = {"train_loss": train_loss, "validation_loss": validation_loss}
    if loss.metric != "loss":
        metrics[f"validation_{loss.metric}"] = measured
    metrics |= model.describe(params, progress)
    values = torch.stack(list(metrics.values())).tolist()
    return dict(zip(metrics, values, strict=True))


def _report(epoch: int, plan: Plan, metrics: dict[str, list[float]], last: bool) -> EpochReport:
    means = {name: sum(values) / len(values) for name, values in metrics.items()}
    n_active = len(metrics["train_loss"])
    return EpochReport(epoch, plan.max_epochs, means, n_active, last)


def _leaf(name: str, tensor: Tensor) -> Tensor:
    return tensor.detach().clone().requires_grad_("buffer:" not in name)


@contextmanager
def _flushed_denormals() -> Iterator[None]:
    """At low temperature the softmax is full of denormal numbers, which are slow on CPUs."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
