"""The training loop."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

from ipcae.models import Model, Params
from ipcae.ops.dispatch import kernels_for
from ipcae.runs import Stream
from ipcae.training.epochs.captured import CapturedEpochs
from ipcae.training.epochs.cuda_graphs import release_graph_memory
from ipcae.training.epochs.plain import Metrics, PlainEpochs
from ipcae.training.epochs.spread_rows import SpreadEpochs
from ipcae.training.epochs.traced import TracedEpochs
from ipcae.training.epochs.validation import evaluate
from ipcae.training.fit import Fit, joined_fits
from ipcae.training.phases import Phase
from ipcae.training.plan import Plan
from ipcae.training.problem import Problem
from ipcae.training.progress.callbacks import EpochReport, announced, call_all
from ipcae.training.progress.interrupt import interruptible
from ipcae.training.states.fingerprint import fingerprint
from ipcae.training.states.state import DIVERGED, INTERRUPTED, STOPPED, State
from ipcae.training.threads.denormals import flushed_denormals
from ipcae.training.threads.side_by_side import parts_of, side_by_side
from ipcae.training.threads.thread_counts import limited_threads


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
        fit = _train(model, problem, phase, params, start is not None)
        release_graph_memory(problem.rows.inputs.device)
        return fit

    def train_part(own: Problem, params: Params) -> Fit:
        return _train(model, own, phase, params, start is not None)

    return joined_fits(side_by_side(train_part, problem, params, parts), parts)


def _train(model: Model, problem: Problem, phase: Phase, params: Params, started: bool) -> Fit:
    """Train all runs in this thread; ``started`` if the initial tensors are also a candidate."""
    plan = problem.plan
    state = _initial_state(model, problem, params, started)
    checkpoint = problem.checkpoint and problem.checkpoint.of_phase(phase)
    fingerprints: dict[str, str] = {}
    if checkpoint is not None:
        fingerprints = _fingerprints(model, problem, params if started else None)
        state = checkpoint.restore(state, fingerprints)
    epochs = _epochs_for(model, problem, state)
    start_time = time.perf_counter() - state.seconds
    threads = limited_threads(state.params, plan.batch_size)
    with threads, flushed_denormals(), interruptible() as interrupt:
        while state.active and state.epoch < plan.max_epochs:
            metrics = epochs.run()
            for name, values in metrics.items():
                state.history.add(state.epoch, phase, name, state.active, values)
            remaining = _remaining(model, state, metrics, plan)
            last = not remaining or state.epoch + 1 == plan.max_epochs
            enough = False
            if problem.callbacks:
                report = _report(model, problem, state, metrics, phase, last or interrupt.requested)
                enough = call_all(problem.callbacks, report)
            enough, interrupted = map(problem.agreed, (enough, interrupt.requested))
            if enough and not interrupted:
                _end(state, remaining, STOPPED)
                remaining, last = [], True
            if len(remaining) < len(state.active):
                state.keep(remaining)
                epochs = _epochs_for(model, problem, state)
            state.epoch += 1
            state.seconds = time.perf_counter() - start_time
            ends = last or interrupted
            if checkpoint is not None and (ends or state.epoch % checkpoint.every == 0):
                checkpoint.save(state, fingerprints)
            if interrupted:  # a status that is not saved: the training may be resumed
                _end(state, range(len(state.active)), INTERRUPTED)
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
        given = "buffer:matrix", "decoder.buffer:slope", "decoder.buffer:shift"
        selected = *selected, *(start[name] for name in given if name in start)
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


def _end(state: State, positions: Iterable[int], status: str) -> None:
    """Set the status of the runs at these positions of ``state.active``."""
    for i in positions:
        state.status[state.active[i]] = status


def _report(
    model: Model, problem: Problem, state: State, metrics: Metrics, phase: Phase, last: bool
) -> EpochReport:
    return EpochReport(
        epoch=state.epoch,
        max_epochs=problem.plan.max_epochs,
        metrics={name: sum(values) / len(values) for name, values in metrics.items()},
        n_active=len(state.active),
        last=last,
        model=model,
        params={name: tensor.detach() for name, tensor in state.params.items()},
        runs=tuple(state.active),
        per_run=metrics,
        phase=phase,
        columns=problem.columns,
    )
