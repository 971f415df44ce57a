"""Mixup: training on mixtures of two rows.

A decoder that is trained on λ x + (1 − λ) x' with the loss λ L(y) + (1 − λ) L(y') behaves linearly
between the rows (Zhang et al., *mixup: Beyond Empirical Risk Minimization*, ICLR 2018). It is less
certain far from them, such as on the rows of people it has not seen.

Here x is a row of a batch and x' its neighbor: rows are shuffled, so that neighbors are unrelated.
λ has the distribution Beta(α, α), where α is the decoder's ``mixup``; it is drawn for every row of
every run.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from scipy.special import betaincinv
from torch import Tensor

from ipcae.losses import Loss, compares_rows, row_losses
from ipcae.models import FixedSelection, Model
from ipcae.rows import Rows
from ipcae.runs import Stream

_BITS = 12  # of the random number that chooses a quantile


def mixup_of(model: Model, loss: Loss) -> float:
    """Return α, or 0 while features are selected, and for losses that compare rows."""
    if not isinstance(model, FixedSelection) or compares_rows(loss):
        return 0.0
    return getattr(model.decoder, "mixup", 0.0)


def draw_shares(alpha: float, batch: Rows, stream: Stream) -> Tensor:
    """Draw λ, the share of every row in its mixture. Shape: -> (R, B).

    A row whose neighbor has weight 0 in a run, such as a row of another fold, is not mixed there.

    >>> rows = Rows(torch.zeros(2, 1), weights=torch.tensor([1.0, 0.0]))
    >>> draw_shares(0.2, rows, Stream([0], step=0))[0, 0]
    tensor(1.)
    """
    bits = stream.row_bits(len(batch)) >> (32 - _BITS)  # negative for half of the numbers
    shares = _quantiles(alpha, bits.device)[bits]
    if batch.weights is None:
        return shares
    return torch.where(neighbors(batch.weights, -1) > 0, shares, 1.0)


@cache  # captured steps keep reading this tensor
def _quantiles(alpha: float, device: torch.device) -> Tensor:
    """Return the quantiles of Beta(α, α) in the middle of equal parts of [0, 1].

    The upper half comes first: negative indices, which count from the end, are in the lower half.
    """
    n_parts = 2**_BITS
    middle = np.roll((np.arange(n_parts) + 0.5) / n_parts, n_parts // 2)
    return torch.from_numpy(betaincinv(alpha, alpha, middle)).to(device, torch.float32)


def neighbors(values: Tensor, axis: int) -> Tensor:
    """Swap the rows two by two; the last of an odd number stays.

    Pairs stay together if a batch is divided into parts of even size.

    >>> neighbors(torch.arange(5), 0)
    tensor([1, 0, 3, 2, 4])
    """
    n_rows, device = values.shape[axis], values.device
    # A tensor that is created while a step is captured on a GPU belongs to that step.
    swapped = _kept_swapped(n_rows) if device.type == "cpu" else _swapped(n_rows, device)
    return values.index_select(axis, swapped)


def _swapped(n_rows: int, device: torch.device | None = None) -> Tensor:
    """Return the index of every row's neighbor."""
    index = torch.arange(n_rows, device=device)
    return (index + 1 - 2 * (index % 2)).clamp(max=n_rows - 1)


_kept_swapped = cache(_swapped)


def mixture(values: Tensor, shares: Tensor) -> Tensor:
    """Mix every row with its neighbor. Shape: (R, B, K), (R, B) -> (R, B, K)."""
    return torch.lerp(neighbors(values, 1), values, shares.unsqueeze(-1))


def mixture_losses(loss: Loss, outputs: Tensor, batch: Rows, shares: Tensor) -> Tensor:
    """Return λ L(y) + (1 − λ) L(y') of every run and row. Shape: (R, B, O), (R, B) -> (R, B)."""
    own, other = (
        row_losses(loss, outputs, targets, batch.weights)
        for targets in (batch.targets, neighbors(batch.targets, 0))
    )
    return torch.lerp(other, own, shares)
