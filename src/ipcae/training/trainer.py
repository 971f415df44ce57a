"""The training loop: many runs at once, the best state of each."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from ipcae.losses import Loss
from ipcae.models import Model, Params
from ipcae.ops.dispatch import kernels_for
from ipcae.runs import Runs, Stream
from ipcae.training.batches import whole_batches
from ipcae.training.callbacks import Callback, EpochReport, announced, call_all
from ipcae.training.captured import CapturedEpochs
from ipcae.training.checkpoint import Checkpoint, fingerprint
from ipcae.training.denormals import flushed_denormals
from ipcae.training.epochs import PlainEpochs, Task
from ipcae.training.history import History
from ipcae.training.interrupt import interruptible
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import DIVERGED, INTERRUPTED, STOPPED, State
from ipcae.training.step import evaluate
from ipcae.training.traced import TracedEpochs


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
        Each is called with an :class:`EpochReport` after every epoch; one that returns True ends
        the training.
    checkpoint : Checkpoint, optional
        Save the state now and then, and continue from there.
    """
    validation = whole_batches(validation, plan)
    params = model.init(Stream(runs.seeds, device=rows.inputs.device)) if start is None else start
    state = State.begin(params, runs, plan)
    if start is not None:
        losses, _ = evaluate(model, loss, state.params, validation)
        state.best.update(-1, state.active_runs, losses, state.params)
    mark = ""
    if checkpoint is not None:
        mark = fingerprint(model, loss, runs, plan, rows, validation)
        state = checkpoint.restore(state, mark)
    task = Task(model, loss, rows, validation, runs, plan)
    epochs = _epochs_of(task, state, callbacks)
    began = time.perf_counter() - state.seconds
    with flushed_denormals(), interruptible() as interrupt:
        while state.epoch < plan.max_epochs and state.active:
            metrics = epochs.run()
            for name, values in metrics.items():
                state.history.add(state.epoch, name, state.active, values)
            going_on = _going_on(state, metrics, plan.patience)
            done = state.epoch + 1 == plan.max_epochs or not going_on
            last = done or interrupt.requested
            asked = callbacks and call_all(callbacks, _report(model, state, plan, metrics, last))
            if asked and not interrupt.requested:
                for i in going_on:
                    state.status[state.active[i]] = STOPPED
                going_on, done = [], True
            stopped = interrupt.requested
            if len(going_on) < len(state.active):
                state.keep(going_on)
                epochs = _epochs_of(task, state, callbacks)
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


def _epochs_of(
    task: Task, state: State, callbacks: tuple[Callback, ...]
) -> PlainEpochs | CapturedEpochs:
    if not (kernels_for(task.rows.inputs) and state.active):
        on_cpu = task.rows.inputs.device.type == "cpu"
        traced = on_cpu and state.active and TracedEpochs.suit(task, state)
        return TracedEpochs(task, state) if traced else PlainEpochs(task, state)
    epochs = CapturedEpochs(task, state)
    if not epochs.prepared:
        with announced(callbacks, "compiling for the GPU"):
            epochs.prepare()
    return epochs


def _going_on(state: State, metrics: dict[str, list[float]], patience: int | None) -> list[int]:
    """Return the positions of the runs that go on, and note why the others do not."""
    best_epoch = state.best.epoch if patience is not None else []
    positions = []
    for i, run in enumerate(state.active):
        if not math.isfinite(metrics["train_loss"][i] + metrics["validation_loss"][i]):
            state.status[run] = DIVERGED
        elif patience is not None and state.epoch - best_epoch[run] >= patience:
            state.status[run] = STOPPED
        else:
            positions.append(i)
    return positions


def _report(
    model: Model, state: State, plan: Plan, metrics: dict[str, list[float]], last: bool
) -> EpochReport:
    means = {name: sum(values) / len(values) for name, values in metrics.items()}
    params = {name: tensor.detach() for name, tensor in state.params.items()}
    runs = tuple(state.active)
    return EpochReport(
        state.epoch, plan.max_epochs, means, len(runs), last, model, params, runs, metrics
    )
