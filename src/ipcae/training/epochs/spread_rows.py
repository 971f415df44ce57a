"""Epochs whose batches are divided among processes.

Every process has all rows and the same tensors. It computes the loss and the gradients on its part
of a batch; their sums over the processes are those of the whole batch, up to rounding, because
every row has the noise that it has in the whole batch. Then all take the same step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from ipcae.decoders import CustomDecoder
from ipcae.distributed import Processes
from ipcae.errors import InputError
from ipcae.losses import compares_rows
from ipcae.models import Model, Params
from ipcae.rows import Rows
from ipcae.runs import BatchPart, Stream
from ipcae.training.epochs.plain import PlainEpochs
from ipcae.training.epochs.step import Step, losses_and_gradients
from ipcae.training.epochs.validation import evaluate, measure
from ipcae.training.problem import Problem
from ipcae.training.states.state import State


class SpreadEpochs(PlainEpochs):
    """Epochs in eager mode, with the rows of every batch divided among processes."""

    def __init__(self, model: Model, problem: Problem, state: State):
        super().__init__(model, problem, state)
        assert problem.processes is not None
        self.processes: Processes = problem.processes
        _check(problem, state.params)

    def _losses_and_gradients(self, batch: Rows, step: Step) -> tuple[Tensor, Sequence[Tensor]]:
        """Return the losses and the gradients of the whole batch, summed over the processes."""
        state, stream = self.state, step.stream
        own = self.processes.part(len(batch))
        shares = share_of(batch, own, len(self.problem.runs))
        names = state.optimizer.names
        losses = torch.zeros_like(shares)
        gradients = tuple(torch.zeros_like(state.params[name]) for name in names)
        if own.start < own.stop:
            part = BatchPart(own.start, len(batch))
            drawing = Stream(stream.seeds, stream.step, stream.device, part=part)
            losses, gradients = losses_and_gradients(
                self.model,
                self.problem.loss,
                state.params,
                names,
                batch.take(own),
                replace(step, stream=drawing),
                shares,
            )
        losses, *summed = self.processes.summed([losses * shares, *gradients])
        return losses, summed

    def _measure(self, progress: float, train_loss: Tensor) -> dict[str, Tensor]:
        """Return the metrics of the epoch, each of shape (R,): every process validates a part."""
        problem, rows = self.problem, self.problem.validation
        own = self.processes.part(len(rows))
        shares = share_of(rows, own, len(problem.runs))
        measured = torch.zeros_like(shares), torch.zeros_like(shares)
        if own.start < own.stop:
            measured = evaluate(self.model, problem.loss, self.state.params, rows.take(own))
        loss, metric = self.processes.summed([values * shares for values in measured])
        params = self.state.params
        return measure(self.model, problem, params, progress, train_loss, (loss, metric))


def share_of(rows: Rows, part: slice, n_runs: int) -> Tensor:
    """Return the weight of a part of the rows relative to all, for every run. Shape: -> (R,).

    >>> share_of(Rows(torch.zeros(4, 1)), slice(0, 1), 2)
    tensor([0.2500, 0.2500])
    """
    weights = rows.weights
    if weights is None:
        weights = torch.ones(len(rows), device=rows.inputs.device)
    total = weights.sum(-1)
    share = weights[..., part].sum(-1) / torch.where(total > 0, total, torch.ones_like(total))
    return share.expand(n_runs).to(rows.inputs.dtype)


def _check(problem: Problem, params: Params) -> None:
    """Raise an error if the loss of a row depends on the other rows of a batch."""
    if compares_rows(problem.loss):
        raise InputError(
            f"Rows cannot be spread over processes with {type(problem.loss).__name__}, which "
            "compares the rows of a batch: spread runs instead."
        )
    if isinstance(problem.decoder, CustomDecoder) and any("buffer:" in name for name in params):
        raise InputError(
            "Rows cannot be spread over processes with a decoder that has buffers, such as batch "
            "norm, whose statistics would differ: spread runs instead."
        )
