"""The training loop."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import torch

from ipcae.models import Model, Params
from ipcae.ops.dispatch import kernels_for
from ipcae.runs import Stream
from ipcae.training.callbacks import EpochReport, announced, call_all
from ipcae.training.captured import CapturedEpochs
from ipcae.training.denormals import flushed_denormals
from ipcae.training.epochs import Metrics, PlainEpochs
from ipcae.training.fingerprint import fingerprint
from ipcae.training.history import History
from ipcae.training.interrupt import interruptible
from ipcae.training.phases import Phase
from ipcae.training.plan import Plan
from ipcae.training.problem import Problem
from ipcae.training.side_by_side import parts_of, side_by_side
from ipcae.training.spread_rows import SpreadEpochs
from ipcae.training.state import DIVERGED, INTERRUPTED, STOPPED, State
from ipcae.training.step import evaluate
from ipcae.training.threads import limited_threads
from ipcae.training.traced import TracedEpochs


@dataclass(frozen=True)
class Fit:
    """The result of a training.

    Attributes
    ----------
    params : dict of str to Tensor
        The best state of every run, the run axis first.
    best_loss, best_epoch : list
        Lowest validation loss of every run, and its epoch; infinity and −1 if no validation loss
        was finite.
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

    def of_runs(self, runs: list[int]) -> Fit:
        """Return the result of some runs, renumbered in this order."""
        return Fit(
            params={name: tensor[runs] for name, tensor in self.params.items()},
            best_loss=[self.best_loss[run] for run in runs],
            best_epoch=[self.best_epoch[run] for run in runs],
            status=[self.status[run] for run in runs],
            history=self.history.of_runs(runs),
            seconds=self.seconds,
        )


def train(
    model: Model, problem: Problem, phase: Phase = Phase.SELECTING, *, start: Params | None = None
) -> Fit:
    """Train all runs together and return the state of each with the lowest validation loss.

    A run that diverges or exceeds the plan's patience is removed from the batch, which does not
    affect the others. Ctrl-C ends training after the current epoch. On a CPU with several threads,
    each trains some of the runs.

    Parameters
    ----------
    start : dict of str to Tensor, optional
        The initial tensors, which are also the first candidate for the best state. By default,
        they are drawn by the model.
    """
    params = _initial(model, problem) if start is None else start
    parts = parts_of(model, problem, params)
    if len(parts) == 1:
        return _train(model, problem, phase, params, start is not None)

    def train_part(own: Problem, params: Params) -> Fit:
        return _train(model, own, phase, params, start is not None)

    return _joined(side_by_side(train_part, problem, params, parts), parts)


def _joined(fits: list[Fit], parts: list[list[int]]) -> Fit:
    """Return the result of all runs, given those of parts of them."""
    history = History()
    for fit, runs in zip(fits, parts, strict=True):
        history.add_runs(fit.history, runs)
    together = Fit(
        params={name: torch.cat([fit.params[name] for fit in fits]) for name in fits[0].params},
        best_loss=[loss for fit in fits for loss in fit.best_loss],
        best_epoch=[epoch for fit in fits for epoch in fit.best_epoch],
        status=[status for fit in fits for status in fit.status],
        history=History(),
        seconds=max(fit.seconds for fit in fits),
    )
    runs = [run for part in parts for run in part]
    history.sort()
    return replace(together.of_runs([runs.index(run) for run in range(len(runs))]), history=history)


def _train(model: Model, problem: Problem, phase: Phase, params: Params, started: bool) -> Fit:
    """Train all runs in this thread; ``started`` if the initial tensors are also a candidate."""
    start = params if started else None
    state = _initial_state(model, problem, params, started)
    checkpoint = problem.checkpoint and problem.checkpoint.of_phase(phase)
    fingerprints: dict[str, str] = {}
    if checkpoint is not None:
        fingerprints = _fingerprints(model, problem, start)
        state = checkpoint.restore(state, fingerprints)
    plan, callbacks = problem.plan, problem.callbacks
    epochs = _epochs_for(model, problem, state)
    start_time = time.perf_counter() - state.seconds
    threads = limited_threads(state.params, plan.batch_size)
    with threads, flushed_denormals(), interruptible() as interrupt:
        while state.epoch < plan.max_epochs and state.active:
            metrics = epochs.run()
            for name, values in metrics.items():
                state.history.add(state.epoch, phase, name, state.active, values)
            remaining = _remaining(model, state, metrics, plan)
            done = state.epoch + 1 == plan.max_epochs or not remaining
            enough = False
            if callbacks:
                last = done or interrupt.requested
                report = _report(model, state, metrics, phase, plan.max_epochs, last)
                enough = call_all(callbacks, report)
            stopped = problem.agreed(interrupt.requested)
            if problem.agreed(enough) and not stopped:
                for i in remaining:
                    state.status[state.active[i]] = STOPPED
                remaining, done = [], True
            if len(remaining) < len(state.active):
                state.keep(remaining)
                epochs = _epochs_for(model, problem, state)
            state.epoch += 1
            state.seconds = time.perf_counter() - start_time
            if checkpoint is not None and (done or stopped or state.epoch % checkpoint.every == 0):
                checkpoint.save(state, fingerprints)
            if stopped:
                for run in state.active:
                    state.status[run] = INTERRUPTED
                break
    best = state.best
    return Fit(best.params, best.loss, best.epoch, state.status, state.history, state.seconds)


def _initial(model: Model, problem: Problem) -> Params:
    """Draw the initial tensors of all runs."""
    runs = problem.runs
    params = model.init(Stream(runs.seeds, device=problem.rows.inputs.device))
    if runs.n_selected is not None and hasattr(model, "narrowed"):
        params = model.narrowed(params, runs.n_selected)
    return params


def _initial_state(model: Model, problem: Problem, params: Params, started: bool) -> State:
    state = State.begin(params, problem.runs, problem.plan)
    if started:
        losses, _ = evaluate(model, problem.loss, state.params, problem.validation)
        state.best.update(-1, state.active_runs, losses, state.params)
    return state


def _fingerprints(model: Model, problem: Problem, start: Params | None) -> dict[str, str]:
    """Return the fingerprints of everything that determines the result of a training."""
    selected: tuple[Any, ...] | None = None
    if start is not None:
        selected = start.get("buffer:features"), start.get("buffer:nodes")
        if "buffer:matrix" in start:
            selected = *selected, start["buffer:matrix"]
    parts = {
        "model": model,
        "task": problem.task,
        "loss": problem.loss,
        "decoder": problem.decoder,
        "runs": problem.runs,
        "training settings": problem.plan,
        "unique": problem.unique,
        "fine_tune": problem.fine_tune_epochs,
        "refit": problem.refit,
        "constraints": problem.constraints,
        "selected features": selected,
        "rows": problem.rows,
        "validation rows": problem.validation,
    }
    return {name: fingerprint(part) for name, part in parts.items()}


def _epochs_for(model: Model, problem: Problem, state: State) -> PlainEpochs | CapturedEpochs:
    """Return the fastest implementation of epochs for this device."""
    if problem.processes is not None:
        return SpreadEpochs(model, problem, state)
    if not (kernels_for(problem.rows.inputs) and state.active):
        on_cpu = problem.rows.inputs.device.type == "cpu"
        traced = on_cpu and state.active and TracedEpochs.suit(model, problem, state)
        return (TracedEpochs if traced else PlainEpochs)(model, problem, state)
    epochs = CapturedEpochs(model, problem, state)
    if not epochs.prepared:
        with announced(problem.callbacks, "compiling for the GPU"):
            epochs.prepare()
    return epochs


def _remaining(model: Model, state: State, metrics: Metrics, plan: Plan) -> list[int]:
    """Return the positions of the runs to continue, and set the status of the others."""
    patience = plan.patience
    best_epoch = state.best.epoch if patience is not None else []
    settled = [True] * len(state.active)
    if plan.settle:
        settled = model.settled(metrics) if hasattr(model, "settled") else [False] * len(settled)
    positions = []
    for i, run in enumerate(state.active):
        if not math.isfinite(metrics["train_loss"][i] + metrics["validation_loss"][i]):
            state.status[run] = DIVERGED
        elif patience is not None and settled[i] and state.epoch - best_epoch[run] >= patience:
            state.status[run] = STOPPED
        else:
            positions.append(i)
    return positions


def _report(
    model: Model, state: State, metrics: Metrics, phase: Phase, max_epochs: int, last: bool
) -> EpochReport:
    return EpochReport(
        epoch=state.epoch,
        max_epochs=max_epochs,
        metrics={name: sum(values) / len(values) for name, values in metrics.items()},
        n_active=len(state.active),
        last=last,
        model=model,
        params={name: tensor.detach() for name, tensor in state.params.items()},
        runs=tuple(state.active),
        per_run=metrics,
        phase=phase,
    )
