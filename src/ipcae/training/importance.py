"""Permutation importance of the selected features."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.losses import Loss, mean_loss
from ipcae.models import FixedSelection, Params
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.training.step import losses_of


@torch.no_grad()
def importance(
    model: FixedSelection,
    params: Params,
    loss: Loss,
    rows: Rows,
    units: NDArray[np.int64] | None = None,
    n_rows: int = 2000,
) -> NDArray[np.float64]:
    """Return the increase of the loss when a selected column is shuffled. Shape: -> (R, K).

    It is NaN for inputs of the decoder without a feature. Inputs of the same run and the same of
    ``units``, of shape (R, K), are shuffled together.
    """
    rows = rows.take(slice(n_rows))
    selected = model.selected(params, rows.inputs)
    order = Stream([0]).uniform(len(rows))[0].argsort(stable=True).to(selected.device)

    def loss_of(values: Tensor) -> Tensor:
        outputs = model.decode(params, values)
        return mean_loss(losses_of(loss, outputs, rows), rows.weights)

    reference = loss_of(selected)
    if units is None:
        units = np.tile(np.arange(selected.shape[-1]), (len(selected), 1))
    unit_of = torch.from_numpy(units).to(selected.device)
    increase = torch.zeros(units.shape, device=selected.device)
    for unit in range(int(units.max()) + 1):
        together = unit_of == unit
        shuffled = torch.where(together[:, None], selected[:, order], selected)
        increase = torch.where(together, (loss_of(shuffled) - reference)[:, None], increase)
    # Clip a loss that overflows float32 to the largest number.
    largest = torch.finfo(increase.dtype).max
    bounded = increase.nan_to_num(nan=largest, posinf=largest)
    increase = torch.where(reference.isfinite()[:, None], bounded, increase)
    nodes = params.get("buffer:nodes")
    if nodes is not None:
        increase = increase.masked_fill(nodes == 0, torch.nan)
    return increase.double().cpu().numpy()
