"""The loss and the metrics on rows that are not learned from."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from ipcae.losses import Loss, compares_rows, mean_loss, row_losses
from ipcae.models import Model, Params
from ipcae.rows import Rows
from ipcae.schedules import Progress
from ipcae.sources import StreamedRows
from ipcae.training.builtin_parts import is_builtin
from ipcae.training.problem import Problem

_NUMBERS_AT_ONCE = 2**23  # maximum number of outputs of a run in memory
_NUMBERS_IN_CACHE, _TYPICAL_WIDTH = 2**19, 512  # of a CPU, and of a hidden layer


@torch.no_grad()
def evaluate(model: Model, loss: Loss, params: Params, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return the loss and the metric of every run on these rows, each of shape (R,)."""
    if compares_rows(loss):
        outputs = outputs_of(model, params, rows)
        whole = mean_loss(row_losses(loss, outputs, rows.targets, rows.weights), rows.weights)
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
        losses.append(row_losses(loss, outputs, part.targets, part.weights))
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
