"""Permutation importance of the selected features."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.losses import Loss, mean_loss, row_losses
from ipcae.models import FixedSelection, Params
from ipcae.ops import hard_select
from ipcae.rows import Rows
from ipcae.runs import Stream


@torch.no_grad()
def importance(
    model: FixedSelection, params: Params, loss: Loss, rows: Rows, n_rows: int = 2000
) -> NDArray[np.float64]:
    """Return the increase of the loss when a selected column is shuffled. Shape: -> (R, K)."""
    rows = rows.take(slice(n_rows))
    selected = hard_select(rows.inputs, params["buffer:features"])
    order = Stream([0]).uniform(len(rows))[0].argsort(stable=True).to(selected.device)

    def loss_of(values: Tensor) -> Tensor:
        outputs = model.decode(params, values)
        losses = row_losses(loss, outputs, rows.targets, rows.weights)
        return mean_loss(losses, rows.weights)

    reference = loss_of(selected)
    increases = []
    for node in range(selected.shape[-1]):
        shuffled = selected.clone()
        shuffled[:, :, node] = selected[:, order, node]
        increases.append(loss_of(shuffled) - reference)
    increase = torch.stack(increases, dim=-1)
    # Clip a loss that overflows float32 to the largest number.
    largest = torch.finfo(increase.dtype).max
    bounded = increase.nan_to_num(nan=largest, posinf=largest)
    return torch.where(reference.isfinite()[:, None], bounded, increase).double().cpu().numpy()
