"""What an epoch is made of: steps on batches, then a look at the validation rows."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from ipcae.losses import Loss, mean_loss, row_shares
from ipcae.models import Model, Params
from ipcae.ops.side_stream import deferred_gradients
from ipcae.runs import DeviceStep, Stream
from ipcae.schedules import Progress
from ipcae.training.optimizer import Adam, StepSize
from ipcae.training.rows import Rows

_NUMBERS_AT_ONCE = 2**23  # outputs of a run that are looked at together


def learn(
    model: Model,
    loss: Loss,
    params: Params,
    optimizer: Adam,
    batch: Rows,
    progress: Progress,
    step_size: StepSize,
    penalty_weights: Tensor,
    stream: Stream,
) -> Tensor:
    """Update the tensors by the gradients of one batch; return every run's loss on it.

    Shape: penalty_weights, -> (R,).
    """
    losses, gradients = losses_and_gradients(
        model, loss, params, optimizer.names, batch, progress, penalty_weights, stream
    )
    optimizer.step(gradients, step_size)
    return losses


def learn_on_device(
    model: Model,
    loss: Loss,
    params: Params,
    optimizer: Adam,
    batch: Rows,
    progress: Progress,
    step_size: StepSize,
    penalty_weights: Tensor,
    seeds: tuple[int, ...],
    step: DeviceStep,
    side_stream: torch.cuda.Stream | None = None,
) -> Tensor:
    """Do as :func:`learn` in as few kernels as possible; return the loss of every row.

    The gradients of weights are computed on ``side_stream``, if there is one.

    Shape: penalty_weights (R,) -> (R, B).
    """
    stream = Stream(seeds, step, batch.inputs.device)
    trained = [params[name] for name in optimizer.names]
    with deferred_gradients(side_stream) as deferred:
        outputs, penalty = model.predict_with_penalty(params, batch.inputs, progress, stream)
        losses = loss.per_row(outputs, batch.targets)
        objectives, shares = [losses], [row_shares(losses, batch.weights)]
        if penalty is not None and penalty.requires_grad:
            objectives.append(penalty.expand_as(penalty_weights))
            shares.append(penalty_weights)
        gradients = torch.autograd.grad(objectives, trained, shares, allow_unused=True)
    optimizer.device_step(deferred.add_to(trained, gradients), step_size, step)
    return losses.detach()


def losses_and_gradients(
    model: Model,
    loss: Loss,
    params: Params,
    names: list[str],
    batch: Rows,
    progress: Progress,
    penalty_weights: Tensor,
    stream: Stream,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return every run's loss on a batch, and the gradients of the tensors with these names.

    The gradient of a tensor that the loss does not depend on is zero.
    """
    outputs, penalty = model.predict_with_penalty(params, batch.inputs, progress, stream)
    losses = mean_loss(loss.per_row(outputs, batch.targets), batch.weights)
    total = losses if penalty is None else losses + penalty_weights * penalty
    trained = [params[name] for name in names]
    found = torch.autograd.grad(total, trained, torch.ones_like(total), allow_unused=True)
    gradients = tuple(
        torch.zeros_like(tensor) if gradient is None else gradient
        for tensor, gradient in zip(trained, found, strict=True)
    )
    return losses.detach(), gradients


@torch.no_grad()
def evaluate(model: Model, loss: Loss, params: Params, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return every run's loss and metric on these rows, each of shape (R,)."""
    losses, figures = [], []
    for part in _affordable(rows):
        outputs = model.predict(params, part.inputs)
        losses.append(loss.per_row(outputs, part.targets))
        figures.append(loss.measure(outputs, part.targets))
    return (
        mean_loss(torch.cat(losses, -1), rows.weights),
        mean_loss(torch.cat(figures, -1), rows.weights),
    )


def _affordable(rows: Rows) -> Iterator[Rows]:
    """Yield the rows in parts whose outputs are not too many for the memory.

    The parts do not depend on the number of runs, so that a run's bits do not either.
    """
    size = rows_at_once(len(rows), rows.targets[:1].numel())
    if size == len(rows):
        yield rows
        return
    for start in range(0, len(rows), size):
        yield rows.take(slice(start, start + size))


def rows_at_once(n_rows: int, n_outputs: int) -> int:
    """Return how many rows are looked at together.

    >>> rows_at_once(100_000, 10), rows_at_once(100_000, 20_000)
    (16384, 419)
    """
    return min(n_rows, max(1, _NUMBERS_AT_ONCE // max(n_outputs, 512)))


@torch.no_grad()
def measure(
    model: Model,
    loss: Loss,
    params: Params,
    validation: Rows,
    progress: Progress,
    train_loss: Tensor,
) -> dict[str, Tensor]:
    """Return the figures of an epoch for the history, each of shape (R,)."""
    validation_loss, measured = evaluate(model, loss, params, validation)
    figures = {"train_loss": train_loss, "validation_loss": validation_loss}
    if loss.metric != "loss":
        figures[f"validation_{loss.metric}"] = measured
    return figures | model.describe(params, progress)
