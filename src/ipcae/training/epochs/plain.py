"""Training epochs in eager mode."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.models import Model
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.training.batches import epoch_batches
from ipcae.training.epochs.step import Step, losses_and_gradients
from ipcae.training.epochs.validation import measure
from ipcae.training.problem import Problem
from ipcae.training.states.state import State
from ipcae.training.threads.round_robin import end_step

Metrics = dict[str, list[float]]


class PlainEpochs:
    """Epochs in eager mode."""

    def __init__(self, model: Model, problem: Problem, state: State):
        self.model = model
        self.problem = problem.of_runs(state.active)
        self.state = state

    def run(self) -> Metrics:
        """Train for one epoch, update the best states, and return the metrics per active run."""
        problem, state = self.problem, self.state
        progress = state.epoch / problem.plan.max_epochs
        train_loss = self._steps(progress)
        metrics = self._measure(progress, train_loss)
        state.best.update(state.epoch, state.active_runs, metrics["validation_loss"], state.params)
        values = torch.stack(list(metrics.values())).tolist()
        return dict(zip(metrics, values, strict=True))

    def _steps(self, progress: float) -> Tensor:
        """Take the steps of the epoch and return the mean loss of every run, (R,)."""
        problem, state = self.problem, self.state
        runs = problem.runs
        device = problem.rows.inputs.device
        factor = problem.plan.schedule(progress)
        step_sizes = factor * torch.tensor(runs.learning_rates, device=device)
        penalty_weights = torch.tensor(runs.penalty_weights, device=device)
        total = torch.zeros(len(runs), device=device)
        first = state.epoch * problem.n_batches
        for i, batch in enumerate(epoch_batches(problem.rows, problem.plan, state.epoch)):
            step = Step(progress, penalty_weights, Stream(runs.seeds, first + i, device))
            total += self._learn(batch, step, factor)
            with torch.no_grad():
                self.model.after_step(state.params, progress, step_sizes)
            end_step()
        return total / problem.n_batches

    def _measure(self, progress: float, train_loss: Tensor) -> dict[str, Tensor]:
        """Return the metrics of the epoch, each of shape (R,)."""
        return measure(self.model, self.problem, self.state.params, progress, train_loss)

    def _learn(self, batch: Rows, step: Step, factor: float) -> Tensor:
        """Take a step, with the learning rates times the factor; return the losses, (R,)."""
        losses, gradients = self._losses_and_gradients(batch, step)
        self.state.optimizer.step(gradients, factor)
        return losses

    def _losses_and_gradients(self, batch: Rows, step: Step) -> tuple[Tensor, Sequence[Tensor]]:
        """Return the loss of every run on a batch, (R,), and the gradients of what is trained."""
        params, names = self.state.params, self.state.optimizer.names
        return losses_and_gradients(self.model, self.problem.loss, params, names, batch, step)
