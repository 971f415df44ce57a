"""The interface of a loss, and its average over rows with sample weights."""

from __future__ import annotations

from functools import cache
from typing import Protocol

import torch
from torch import Tensor


class Loss(Protocol):
    """A loss per row, and a metric to report.

    An attribute ``outputs_are_logits = True`` means that outputs multiplied by a positive number
    predict the same, with another certainty. A method ``with_gradient(outputs, targets, shares)``
    returns the losses and the gradients of the outputs, given the weight of every row in the mean;
    on a GPU, this can be faster than autograd.
    """

    metric: str

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, ...) -> (R, B)."""
        ...

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the metric of every row. Shape: as ``per_row``."""
        ...


def compares_rows(loss: Loss) -> bool:
    """Return whether the loss of a row depends on the other rows, such as a partial likelihood.

    The ``per_row`` of such a loss takes the weights of the rows as a third argument, and is
    evaluated on all rows of a sample at once.
    """
    return getattr(loss, "compares_rows", False)


def row_losses(loss: Loss, outputs: Tensor, targets: Tensor, weights: Tensor | None) -> Tensor:
    """Return the loss of every run and row, to be averaged by :func:`mean_loss`.

    Shape: outputs (R, B, O); targets (B, ...); weights (B,), (R, B) or None -> (R, B).
    """
    if compares_rows(loss):
        return loss.per_row(outputs, targets, weights)  # type: ignore[call-arg]
    return loss.per_row(outputs, targets)


def mean_loss(per_row: Tensor, weights: Tensor | None = None) -> Tensor:
    """Average over the rows, with sample weights if given.

    Shape: per_row (..., R, B); weights (B,), (R, B), or (..., 1, B) -> (..., R).

    >>> mean_loss(torch.tensor([[1.0, 4.0]]), torch.tensor([3.0, 1.0]))
    tensor([1.7500])
    """
    if weights is None:
        return per_row.sum(-1) / per_row.shape[-1]
    return (per_row * weights).sum(-1) / _total(weights)


def row_shares(per_row: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the weight of every row in :func:`mean_loss`, its gradient. Shape: as ``per_row``.

    >>> row_shares(torch.tensor([[1.0, 4.0]]), torch.tensor([3.0, 1.0]))
    tensor([[0.7500, 0.2500]])
    """
    if weights is None:
        return _equal_share(per_row.shape[-1], per_row.device).expand_as(per_row)
    return (weights / _total(weights).unsqueeze(-1)).expand_as(per_row)


def _total(weights: Tensor) -> Tensor:
    total = weights.sum(-1)
    # The loss of a batch with zero total weight is zero.
    return torch.where(total > 0, total, torch.ones_like(total))


@cache  # captured steps keep reading this tensor
def _equal_share(n_rows: int, device: torch.device) -> Tensor:
    return torch.tensor(1 / n_rows, device=device)
