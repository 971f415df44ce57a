"""Training epochs on a GPU, with sequences of steps captured in CUDA graphs and replayed.

A step of a small model consists of about twenty kernels of a few microseconds each; launching them
from Python takes longer than running them. Several steps are therefore captured in one CUDA graph.
What changes between replays is in device memory: the rows in a staging buffer, the step number,
and the values of the schedules.

A sequence is captured the first time, and replayed from then on. Before the first capture, a single
step is run eagerly, and the state is restored: tensors that a first step creates and keeps must not
become part of a graph. If a copy of the state would take too much memory, a sequence is run eagerly
the first time instead, and captured the second time. The results are the same in all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ipcae.kernel_launch import compiling
from ipcae.losses import mean_loss
from ipcae.models import Model
from ipcae.ops.dispatch import kernels_for
from ipcae.ops.precision import kernel_precision
from ipcae.ops.side_stream import alongside
from ipcae.rows import Rows
from ipcae.runs import DeviceStep, Stream
from ipcae.schedules import TensorProgress
from ipcae.training.batches import batch_sizes
from ipcae.training.epochs.cuda_graphs import Graphs
from ipcae.training.epochs.plain import Metrics
from ipcae.training.epochs.staging import Staging
from ipcae.training.epochs.step import Step, row_losses_and_gradients
from ipcae.training.epochs.validation import measure
from ipcae.training.problem import Problem
from ipcae.training.progress.callbacks import only_show
from ipcae.training.states.state import Begun, State

STEPS_AT_ONCE = 10
STAGED_BYTES = 2**28
_MOST_COPIED_BYTES = 2**29  # of the state, to restore it after the first step
_PREPARED: set[Hashable] = set()  # trainings whose kernels are compiled


class CapturedEpochs:
    """Epochs of the active runs, replayed from CUDA graphs if they can be captured."""

    def __init__(self, model: Model, problem: Problem, state: State):
        self.model = model
        self.problem = problem = problem.of_runs(state.active)
        self.state = state
        rows, plan, runs = problem.rows, problem.plan, problem.runs
        device = rows.inputs.device
        self.seeds = runs.seeds
        self.epoch = torch.zeros((), dtype=torch.int64, device=device)
        self.progress = TensorProgress(0.0, device)
        self.learning_rates = torch.tensor(runs.learning_rates, device=device)
        self.step_sizes = self.learning_rates.clone()
        self.penalty_weights = torch.tensor(runs.penalty_weights, device=device)
        self.total = torch.zeros(len(runs), device=device)
        self.active_runs = state.active_runs
        self.metric_names: list[str] = []
        self.metrics = torch.zeros(0)
        row_size = rows.inputs.shape[1:].numel()
        self.sequences = _sequences(batch_sizes(len(rows), plan), row_size)
        self.staging = Staging(problem, sum(self.sequences[0]))
        self.current_epoch = -1  # the epoch whose values are in device memory
        self.n_done = 0  # sequences of this epoch
        self.graphs = Graphs(self.progress, device)

    def run(self) -> Metrics:
        """Train for one epoch, update the best states, and return the metrics per active run."""
        with self.graphs.stream():
            return self._run()

    @property
    def prepared(self) -> bool:
        """Whether the kernels of this training have been compiled."""
        return not self.total.is_cuda or self._key in _PREPARED

    def prepare(self) -> None:
        """Compile the kernels of all sequences."""
        # PyTorch's operations still run, on undefined inputs: restore the buffers afterwards, such
        # as the running statistics of a custom decoder.
        params, trained = self.state.params, set(self.state.optimizer.names)
        before = {name: params[name].clone() for name in params if name not in trained}
        with self.graphs.stream(), compiling():
            for size in {size for sizes in self.sequences for size in sizes}:
                self._learn(0, self.staging.staged.take(slice(size)))
            for sizes in set(self.sequences):
                self.staging.copy_within(sum(sizes))
            losses = self._measure()["validation_loss"]
            if kernels_for(losses):
                self.state.best.update(self.epoch, self.active_runs, losses, params)
            for name, tensor in before.items():
                params[name].copy_(tensor)
        _PREPARED.add(self._key)

    @property
    def _key(self) -> Hashable:
        sizes = frozenset(self.sequences), self.staging.staged.inputs.shape[1], len(self.seeds)
        return repr(self.model), repr(self.problem.loss), sizes, kernel_precision()

    def _run(self) -> Metrics:
        problem, state = self.problem, self.state
        if self.current_epoch != state.epoch:
            self._begin(state.epoch)
            if state.begun is not None:
                self.n_done = state.begun.n_sequences
                self.total.copy_(state.begun.losses)
        state.begun = None
        if self.graphs.capturable and not self.graphs.seen:
            self.warm_up()
        self._run_sequences(self.sequences[self.n_done :])
        state.optimizer.steps = (state.epoch + 1) * problem.n_batches
        self.graphs.run("finish", self._finish)
        metrics = _copied_to_host(self.metrics)
        if state.epoch + 1 < problem.plan.max_epochs:
            self._begin(state.epoch + 1)
            if self.may_run_ahead:
                # The device computes while the metrics are copied and recorded.
                self._run_sequences(self.sequences[:1])
                state.begun = Begun(self.n_done, self.total)
        return dict(zip(self.metric_names, metrics(), strict=True))

    def _run_sequences(self, sequences: list[tuple[int, ...]]) -> None:
        """Take the next steps of the epoch; the rows of the first sequence are staged already."""
        for sizes in sequences:
            if self.n_done:
                done = self.sequences[: self.n_done]
                step = self.current_epoch * self.problem.n_batches + sum(map(len, done))
                self.staging.copy_before(step, sum(map(sum, done)), sum(sizes))
            self.graphs.run(sizes, partial(self._steps, sizes))
            self.n_done += 1

    @property
    def may_run_ahead(self) -> bool:
        """Whether nothing reads the tensors of the runs between two epochs."""
        plan, checkpoint = self.problem.plan, self.problem.checkpoint
        return plan.patience is None and checkpoint is None and only_show(self.problem.callbacks)

    def warm_up(self) -> None:
        """Run a step of every size and the end of an epoch, and restore the state.

        All sequences are then ready to be captured, unless the state is too large for a copy.
        """
        state = self.state
        groups = state.params, *state.optimizer.moments, state.best.params
        tensors = [tensor.detach() for group in groups for tensor in group.values()]
        tensors += [state.best.losses, state.best.epochs, self.total]
        if sum(tensor.nbytes for tensor in tensors) > _MOST_COPIED_BYTES:
            return
        copies = [tensor.clone() for tensor in tensors]
        for sizes in dict.fromkeys(self.sequences):
            self._steps(sizes[:1])
        self._finish()
        for tensor, copy in zip(tensors, copies, strict=True):
            tensor.copy_(copy)
        self.graphs.seen.update(self.sequences, ["finish"])

    def _begin(self, epoch: int) -> None:
        """Copy the values of an epoch to the device and stage its first rows."""
        plan = self.problem.plan
        progress = epoch / plan.max_epochs
        self.progress.move(progress)
        self.epoch.fill_(epoch)
        torch.mul(self.learning_rates, plan.schedule(progress), out=self.step_sizes)
        self.total.zero_()
        sizes = [sum(sizes) for sizes in self.sequences]
        self.staging.begin_epoch(epoch, sizes)
        self.staging.copy_before(epoch * self.problem.n_batches, 0, sizes[0])
        self.current_epoch, self.n_done = epoch, 0

    def _steps(self, sizes: tuple[int, ...]) -> None:
        """Take optimizer steps on the staged rows, in batches of these sizes, all equal."""
        losses, staged = [], self.staging.staged
        self.staging.copy_within(sum(sizes))
        for i, size in enumerate(sizes):
            losses.append(self._learn(i, staged.take(slice(i * size, (i + 1) * size))))
            with torch.no_grad():
                self.model.after_step(self.state.params, self.progress, self.step_sizes)
        per_row = torch.stack(losses)
        weights = staged.take(slice(sum(sizes))).weights
        if weights is None:
            self.total.add_(per_row.sum((0, 2)), alpha=1 / sizes[0])
            return
        n_runs = len(weights) if weights.ndim == 2 else 1
        weights = weights.reshape(n_runs, len(sizes), -1).transpose(0, 1)
        self.total += mean_loss(per_row, weights).sum(0)

    def _learn(self, i: int, batch: Rows) -> Tensor:
        number = DeviceStep(self.staging.first_step, i)
        stream = Stream(self.seeds, number, batch.inputs.device)
        step = Step(self.progress, self.penalty_weights, stream)
        params, optimizer, side = self.state.params, self.state.optimizer, self.graphs.side_stream
        losses, gradients = row_losses_and_gradients(
            self.model, self.problem.loss, params, optimizer.names, batch, step, side
        )
        optimizer.device_step(gradients, self.step_sizes, number, side)
        return losses

    @torch.no_grad()
    def _measure(self) -> dict[str, Tensor]:
        """Return the metrics of the epoch; those of the model are computed on the side stream."""
        model, problem, params = self.model, self.problem, self.state.params
        with alongside(self.graphs.side_stream):
            described = model.describe(params, self.progress)
        train_loss = self.total / problem.n_batches
        return measure(model, problem, params, self.progress, train_loss, described=described)

    def _finish(self) -> None:
        state, metrics, side = self.state, self._measure(), self.graphs.side_stream
        state.best.update(self.epoch, self.active_runs, metrics["validation_loss"], state.params)
        if side is not None:
            torch.cuda.current_stream(side.device).wait_stream(side)
        self.metric_names = list(metrics)
        self.metrics = torch.stack(list(metrics.values()))


def _copied_to_host(tensor: Tensor) -> Callable[[], list[Any]]:
    """Start to copy a tensor; return a function that waits for the copy, not for later work."""
    copy = tensor.to("cpu", non_blocking=True)
    if not tensor.is_cuda:
        return copy.tolist
    copied = torch.cuda.Event()
    copied.record()

    def read() -> list[Any]:
        copied.synchronize()
        return copy.tolist()

    return read


def _sequences(sizes: list[int], row_size: int) -> list[tuple[int, ...]]:
    """Divide the batches of an epoch, given by their sizes, into sequences to capture.

    If possible, the length of a sequence divides the number of whole batches.

    >>> [len(sequence) for sequence in _sequences([128] * 56, 784)]
    [8, 8, 8, 8, 8, 8, 8]
    >>> _sequences([3, 3, 3, 1], 3)
    [(3, 3, 3), (1,)]
    """
    whole = sizes.count(sizes[0])
    most = min(STEPS_AT_ONCE, max(1, STAGED_BYTES // (4 * sizes[0] * row_size)), whole)
    divisors = [n for n in range(1, most + 1) if whole % n == 0 and 3 * n >= most]
    at_once = max(divisors, default=most)
    starts = range(0, whole, at_once)
    parts = [tuple(sizes[start : min(start + at_once, whole)]) for start in starts]
    return parts + ([tuple(sizes[whole:])] if whole < len(sizes) else [])
