"""Permutation importance of the selected features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.losses import CustomLoss, Loss, compares_rows, mean_loss, row_losses
from ipcae.models import FixedSelection, Params
from ipcae.rows import Rows
from ipcae.runs import Stream

_MOST_ROWS = 2000
_SHUFFLED_ROWS, _SHUFFLED_NUMBERS = 500, 100_000  # fewer of them are shuffled several times
_NUMBERS_AT_ONCE = 2**26


@torch.no_grad()
def importance(
    model: FixedSelection, params: Params, loss: Loss, rows: Rows, units: Integers | None = None
) -> Floats:
    """Return the increase of the loss when a selected column is shuffled. Shape: -> (R, K).

    Few rows are shuffled several times. The increase is NaN for inputs of the decoder without a
    feature. Inputs of the same run and the same of ``units``, of shape (R, K), are shuffled
    together.
    """
    rows = rows.take(slice(_MOST_ROWS))
    shuffles = Stream(range(_count_shuffles(rows))).uniform(len(rows))
    orders = shuffles.argsort(stable=True).to(rows.inputs.device)
    # A loss that may compare rows must not see the copies that belong to other shuffles.
    alone = compares_rows(loss) or isinstance(loss, CustomLoss)
    parts = orders.split(1 if alone else len(orders))
    increases = [_increase(model, params, loss, rows, part, units) for part in parts]
    return np.asarray(np.mean(increases, axis=0))


def _count_shuffles(rows: Rows) -> int:
    """Return how many times to shuffle the rows: few rows several times.

    >>> _count_shuffles(Rows(torch.zeros(20, 9), torch.zeros(20, 1)))
    25
    >>> _count_shuffles(Rows(torch.zeros(20, 9), torch.zeros(20, 10_000)))
    1
    """
    n_outputs = rows.targets.shape[1:].numel()
    return max(1, min(_SHUFFLED_ROWS, _SHUFFLED_NUMBERS // n_outputs) // len(rows))


def _increase(
    model: FixedSelection,
    params: Params,
    loss: Loss,
    rows: Rows,
    orders: Tensor,
    units: Integers | None,
) -> Floats:
    """Return the mean increase of the loss for these orders. Shape: orders (S, B) -> (R, K)."""
    n_orders, size = orders.shape
    first = size * torch.arange(n_orders, device=orders.device)[:, None]
    if n_orders > 1:
        rows = rows.take(torch.arange(size, device=orders.device).repeat(n_orders))
    selected = model.selected(params, rows.inputs)
    shuffled = selected[:, (first + orders).flatten()]
    if units is None:
        units = np.tile(np.arange(selected.shape[-1]), (len(selected), 1))
    unit_of = torch.from_numpy(units).to(selected.device)
    reference = _losses(model, params, loss, rows, selected[None])[0]
    increase = torch.zeros(units.shape, device=selected.device)
    every_unit = torch.arange(int(units.max()) + 1, device=selected.device)
    for some in every_unit.split(_units_at_once(selected, loss, rows)):
        together = unit_of == some[:, None, None]
        values = torch.where(together[:, :, None], shuffled, selected)
        difference = _losses(model, params, loss, rows, values) - reference
        increase += torch.where(together, difference[:, :, None], 0.0).sum(0)
    increase = torch.where(reference.isfinite()[:, None], _bounded(increase), increase)
    nodes = params.get("buffer:nodes")
    if nodes is not None:
        increase = increase.masked_fill(nodes == 0, torch.nan)
    return increase.double().cpu().numpy()


def _losses(
    model: FixedSelection, params: Params, loss: Loss, rows: Rows, values: Tensor
) -> Tensor:
    """Return the mean losses of copies of the rows with other inputs of the decoders.

    Shape: values (copies, R, B, K) -> (copies, R).
    """
    n_copies, n_runs, size, _ = values.shape
    outputs = model.decode(params, values.transpose(0, 1).flatten(1, 2))
    # Copies of the rows need only what is predicted, not all columns.
    labels = rows if rows.given_targets is None else replace(rows, inputs=rows.inputs[:, :0])
    if n_copies > 1:
        labels = labels.take(torch.arange(size, device=values.device).repeat(n_copies))
    per_row = row_losses(loss, outputs, labels.targets, labels.weights)
    per_row = per_row.view(n_runs, n_copies, size)
    return mean_loss(per_row.transpose(0, 1), rows.weights)


def _bounded(increase: Tensor) -> Tensor:
    """Clip losses that overflow float32 to the largest number."""
    largest = torch.finfo(increase.dtype).max
    return increase.nan_to_num(nan=largest, posinf=largest)


def _units_at_once(selected: Tensor, loss: Loss, rows: Rows) -> int:
    """Return the number of units to shuffle at a time, each in a copy of the rows.

    Many small kernels are slow on a GPU; on the CPU, one copy at a time is fastest.
    """
    if selected.device.type == "cpu" or compares_rows(loss):
        return 1
    n_runs, n_rows, n_selected = selected.shape
    n_outputs = rows.targets.shape[1:].numel()
    return max(1, _NUMBERS_AT_ONCE // (n_runs * n_rows * max(n_selected, n_outputs, 256)))
