"""The parts of an epoch: optimizer steps on batches, then validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.losses import Loss, compares_rows, mean_loss, row_losses, row_shares
from ipcae.models import FixedSelection, Model, Params
from ipcae.ops.side_stream import Gradient, deferred_gradients
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.sources import StreamedRows
from ipcae.training.builtin_parts import is_builtin
from ipcae.training.epochs.mixing import amount, draw_shares, mixture, mixture_losses
from ipcae.training.problem import Problem

_NUMBERS_AT_ONCE = 2**23  # maximum number of outputs of a run in memory
_NUMBERS_IN_CACHE, _TYPICAL_WIDTH = 2**19, 512  # of a CPU, and of a hidden layer


@dataclass(frozen=True)
class Step:
    """The inputs of a step other than its batch.

    Shape: penalty_weights (R,).
    """

    progress: Progress
    penalty_weights: Tensor
    stream: Stream


def losses_and_gradients(
    model: Model,
    loss: Loss,
    params: Params,
    names: list[str],
    batch: Rows,
    step: Step,
    shares: Tensor | None = None,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the loss of every run on a batch, and the gradients of the named tensors.

    The gradient of a tensor that the loss does not depend on is zero. The gradients are multiplied
    by ``shares``, of shape (R,), if given.
    """
    per_row, penalty = _objective(model, loss, params, batch, step)
    losses = mean_loss(per_row, batch.weights)
    total = losses if penalty is None else losses + step.penalty_weights * penalty
    trained = [params[name] for name in names]
    # The sum of all runs has the gradients of each. Passing the gradient of every loss instead
    # would make PyTorch import its symbolic algebra, which takes longer than a small fit.
    objective = (total if shares is None else total * shares).sum()
    gradients = torch.autograd.grad(objective, trained, allow_unused=True)
    filled = tuple(
        torch.zeros_like(tensor) if gradient is None else gradient
        for tensor, gradient in zip(trained, gradients, strict=True)
    )
    return losses.detach(), filled


def row_losses_and_gradients(
    model: Model,
    loss: Loss,
    params: Params,
    names: list[str],
    batch: Rows,
    step: Step,
    side_stream: torch.cuda.Stream | None,
) -> tuple[Tensor, list[Gradient | None]]:
    """Return the loss of every run on every row, (R, B), and the gradients of the named tensors.

    This takes few kernels. The gradients of weights are computed on ``side_stream``, if given;
    those of large weights are left to the optimizer as two factors.
    """
    trained = [params[name] for name in names]
    with deferred_gradients(side_stream) as deferred:
        losses, start, penalty = _start_of_backward(model, loss, params, batch, step)
        starts = [start]
        if penalty is not None and penalty.requires_grad:
            starts.append((penalty.expand_as(step.penalty_weights), step.penalty_weights))
        tensors, above = zip(*starts, strict=True)
        # In this thread: to hand a small step to another one takes longer than the step.
        with torch.autograd.set_multithreading_enabled(False):
            gradients = torch.autograd.grad(tensors, trained, above, allow_unused=True)
    return losses.detach(), deferred.add_to(trained, gradients)


def _start_of_backward(
    model: Model, loss: Loss, params: Params, batch: Rows, step: Step
) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor | None]:
    """Return the losses, a tensor of the graph with its gradient, and the penalty of every run.

    The tensor holds the outputs if the loss returns their gradients, and the losses otherwise.
    """
    if amount(model, loss) or not hasattr(loss, "with_gradient"):
        losses, penalty = _objective(model, loss, params, batch, step)
        return losses, (losses, row_shares(losses, batch.weights)), penalty
    outputs, penalty = model.predict_with_penalty(params, batch.inputs, step.progress, step.stream)
    shares = row_shares(outputs.detach()[..., 0], batch.weights)
    losses, gradients = loss.with_gradient(outputs.detach(), batch.targets, shares)
    return losses, (_with_gradient(outputs), gradients), penalty


def _objective(
    model: Model, loss: Loss, params: Params, batch: Rows, step: Step
) -> tuple[Tensor, Tensor | None]:
    """Return the loss of every row in training, (R, B), and the penalty of every run."""
    alpha = amount(model, loss)
    if alpha and isinstance(model, FixedSelection):
        shares = draw_shares(alpha, batch, step.stream)
        values = mixture(model.selected(params, batch.inputs), shares)
        outputs = model.decode(params, values, step.stream)
        return _with_gradient(mixture_losses(loss, outputs, batch, shares)), None
    outputs, penalty = model.predict_with_penalty(params, batch.inputs, step.progress, step.stream)
    return _with_gradient(losses_of(loss, outputs, batch)), penalty


def losses_of(loss: Loss, outputs: Tensor, rows: Rows) -> Tensor:
    """Return the loss of every run on every row. Shape: outputs (R, B, O) -> (R, B)."""
    return row_losses(loss, outputs, rows.targets, rows.weights)


def _with_gradient(tensor: Tensor) -> Tensor:
    if not tensor.requires_grad:
        raise InputError(
            "The loss has no gradient: the decoder or the loss function breaks PyTorch's autograd "
            "graph, for example with .detach() or .numpy(). Use operations on tensors only."
        )
    return tensor


@torch.no_grad()
def evaluate(model: Model, loss: Loss, params: Params, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return the loss and the metric of every run on these rows, each of shape (R,)."""
    if compares_rows(loss):
        outputs = outputs_of(model, params, rows)
        whole = mean_loss(losses_of(loss, outputs, rows), rows.weights)
        return whole, whole
    blocks = _blocks_of_runs(model, loss, params, rows)
    if len(blocks) == 1:
        return _evaluate(model, loss, params, rows)
    results = [
        _evaluate(
            model, loss, {name: t[block] for name, t in params.items()}, rows.of_runs(list(runs))
        )
        for block, runs in blocks
    ]
    losses, metrics = zip(*results, strict=True)
    return torch.cat(losses), torch.cat(metrics)


def _evaluate(model: Model, loss: Loss, params: Params, rows: Rows) -> tuple[Tensor, Tensor]:
    losses, metrics = [], []
    for part in _affordable(rows):
        outputs = model.predict(params, part.inputs)
        losses.append(losses_of(loss, outputs, part))
        metrics.append(loss.measure(outputs, part.targets))
    return (
        mean_loss(torch.cat(losses, -1), rows.weights),
        mean_loss(torch.cat(metrics, -1), rows.weights),
    )


def _blocks_of_runs(
    model: Model, loss: Loss, params: Params, rows: Rows
) -> list[tuple[slice, range]]:
    """Divide the runs so that, on a CPU, the values of a hidden layer stay in its cache."""
    n_runs = len(next(iter(params.values())))
    divisible = rows.inputs.device.type == "cpu" and not rows.streamed
    size = n_runs
    if divisible and is_builtin(model) and is_builtin(loss):
        size = max(1, _NUMBERS_IN_CACHE // (len(rows) * _TYPICAL_WIDTH))
    starts = range(0, n_runs, size)
    return [(slice(s, s + size), range(s, min(s + size, n_runs))) for s in starts]


@torch.no_grad()
def outputs_of(model: Model, params: Params, rows: Rows) -> Tensor:
    """Return the outputs of every run for all rows. Shape: -> (R, N, O)."""
    return torch.cat([model.predict(params, part.inputs) for part in _affordable(rows)], 1)


def _affordable(rows: Rows) -> Iterator[Rows]:
    """Yield the rows in parts whose outputs fit into memory.

    The parts do not depend on the number of runs, so neither do the results.
    """
    size = rows_at_once(len(rows), rows.targets.shape[1:].numel())
    if isinstance(rows, StreamedRows):
        size = min(size, rows.source.window_rows)
    elif size == len(rows):
        yield rows
        return
    starts = range(0, len(rows), size)
    yield from rows.parts(None, [min(size, len(rows) - start) for start in starts])


def rows_at_once(n_rows: int, n_outputs: int) -> int:
    """Return the number of rows to evaluate at a time.

    >>> rows_at_once(100_000, 10), rows_at_once(100_000, 20_000)
    (16384, 419)
    """
    return min(n_rows, max(1, _NUMBERS_AT_ONCE // max(n_outputs, 512)))


@torch.no_grad()
def measure(
    model: Model,
    problem: Problem,
    params: Params,
    progress: Progress,
    train_loss: Tensor,
    evaluated: tuple[Tensor, Tensor] | None = None,
    described: dict[str, Tensor] | None = None,
) -> dict[str, Tensor]:
    """Return the metrics of an epoch, each of shape (R,).

    ``evaluated`` are the loss and the metric on the validation rows, and ``described`` are the
    metrics of the model, if they are known already.
    """
    if evaluated is None:
        evaluated = evaluate(model, problem.loss, params, problem.validation)
    validation_loss, measured = evaluated
    metrics = {"train_loss": train_loss, "validation_loss": validation_loss}
    if problem.loss.metric != "loss":
        metrics[f"validation_{problem.loss.metric}"] = measured
    return metrics | (model.describe(params, progress) if described is None else described)
