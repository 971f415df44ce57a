"""The epochs of a training, one after another, the plain way."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.losses import Loss
from ipcae.models import Model
from ipcae.runs import Runs, Stream
from ipcae.schedules import Progress
from ipcae.training.batches import count_batches, epoch_batches
from ipcae.training.optimizer import StepSize
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import State
from ipcae.training.step import learn, measure

Metrics = dict[str, list[float]]


@dataclass(frozen=True)
class Task:
    """What a training works on, from its first epoch to its last."""

    model: Model
    loss: Loss
    rows: Rows
    validation: Rows
    runs: Runs
    plan: Plan

    @property
    def n_batches(self) -> int:
        """The number of steps of an epoch."""
        return count_batches(len(self.rows), self.plan)


class PlainEpochs:
    """Every step is a sequence of operations that Python starts one by one."""

    def __init__(self, task: Task, state: State):
        self.task = task
        self.state = state

    def run(self) -> Metrics:
        """Train for an epoch, keep the best states, return every active run's figures."""
        task, state = self.task, self.state
        progress = state.epoch / task.plan.max_epochs
        figures = measure(
            task.model, task.loss, state.params, task.validation, progress, self._steps(progress)
        )
        state.best.update(state.epoch, state.active_runs, figures["validation_loss"], state.params)
        values = torch.stack(list(figures.values())).tolist()
        return dict(zip(figures, values, strict=True))

    def _steps(self, progress: float) -> Tensor:
        """Take the steps of the epoch; return every run's mean loss, (R,)."""
        task, state = self.task, self.state
        runs = task.runs.subset(state.active)
        device = task.rows.inputs.device
        factor = task.plan.schedule(progress)
        step_size = StepSize(factor, factor * torch.tensor(runs.learning_rates, device=device))
        penalty_weights = torch.tensor(runs.penalty_weights, device=device)
        total = torch.zeros(len(runs), device=device)
        first = state.epoch * task.n_batches
        for i, batch in enumerate(epoch_batches(task.rows, task.plan, state.epoch)):
            stream = Stream(runs.seeds, first + i, device)
            total += self._learn(batch, progress, step_size, penalty_weights, stream)
            with torch.no_grad():
                task.model.after_step(state.params, progress, step_size.per_run)
        return total / task.n_batches

    def _learn(
        self,
        batch: Rows,
        progress: Progress,
        step_size: StepSize,
        penalty_weights: Tensor,
        stream: Stream,
    ) -> Tensor:
        """Take a step; return every run's loss, (R,)."""
        task, state = self.task, self.state
        return learn(
            task.model,
            task.loss,
            state.params,
            state.optimizer,
            batch,
            progress,
            step_size,
            penalty_weights,
            stream,
        )
