"""Permutation importance of the selected features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.losses import Loss, compares_rows, mean_loss
from ipcae.models import FixedSelection, Params
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.training.epochs.step import losses_of

_MOST_ROWS = 2000
_NUMBERS_AT_ONCE = 2**26


@torch.no_grad()
def importance(
    model: FixedSelection,
    params: Params,
    loss: Loss,
    rows: Rows,
    units: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return the increase of the loss when a selected column is shuffled. Shape: -> (R, K).

    It is NaN for inputs of the decoder without a feature. Inputs of the same run and the same of
    ``units``, of shape (R, K), are shuffled together.
    """
    rows = rows.take(slice(_MOST_ROWS))
    selected = model.selected(params, rows.inputs)
    order = Stream([0]).uniform(len(rows))[0].argsort(stable=True).to(selected.device)
    permuted = selected[:, order]
    # Copies of the rows need only what is predicted, not all columns.
    labels = rows if rows.given_targets is None else replace(rows, inputs=rows.inputs[:, :0])

    def losses_with(values: Tensor) -> Tensor:
        """Shape: (U, R, B, K) -> (U, R)."""
        n_copies, n_runs, size, _ = values.shape
        every = labels
        if n_copies > 1:
            every = labels.take(torch.arange(size, device=order.device).repeat(n_copies))
        outputs = model.decode(params, values.transpose(0, 1).flatten(1, 2))
        per_row = losses_of(loss, outputs, every).view(n_runs, n_copies, size)
        return mean_loss(per_row.transpose(0, 1), rows.weights)

    reference = losses_with(selected[None])[0]
    if units is None:
        units = np.tile(np.arange(selected.shape[-1]), (len(selected), 1))
    unit_of = torch.from_numpy(units).to(selected.device)
    increase = torch.zeros(units.shape, device=selected.device)
    for some in torch.arange(int(units.max()) + 1, device=order.device).split(
        _units_at_once(selected, loss, rows)
    ):
        together = unit_of == some[:, None, None]
        losses = losses_with(torch.where(together[:, :, None], permuted, selected))
        increase += torch.where(together, (losses - reference)[:, :, None], 0.0).sum(0)
    # Clip a loss that overflows float32 to the largest number.
    largest = torch.finfo(increase.dtype).max
    bounded = increase.nan_to_num(nan=largest, posinf=largest)
    increase = torch.where(reference.isfinite()[:, None], bounded, increase)
    nodes = params.get("buffer:nodes")
    if nodes is not None:
        increase = increase.masked_fill(nodes == 0, torch.nan)
    return increase.double().cpu().numpy()


def _units_at_once(selected: Tensor, loss: Loss, rows: Rows) -> int:
    """Return the number of units to shuffle at a time, each in a copy of the rows.

    Many small kernels are slow on a GPU; on the CPU, one copy at a time is fastest.
    """
    if selected.device.type == "cpu" or compares_rows(loss):
        return 1
    n_runs, n_rows, n_selected = selected.shape
    n_outputs = rows.targets.shape[1:].numel()
    return max(1, _NUMBERS_AT_ONCE // (n_runs * n_rows * max(n_selected, n_outputs, 256)))
