"""Losses per run and row, with sample weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.ops import cross_entropy_rows, squared_error_rows


class Loss(Protocol):
    """A loss per row, and a metric to report.

    A loss with an attribute ``run_targets = True`` also takes targets of shape (R, B, ...), a set
    for every run. Other losses are then called run by run.
    """

    metric: str

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, ...) -> (R, B)."""
        ...

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the metric of every row. Shape: as ``per_row``."""
        ...


def mean_loss(per_row: Tensor, weights: Tensor | None = None) -> Tensor:
    """Average over the rows, with sample weights if given.

    Shape: per_row (..., R, B); weights (B,), (R, B), or (..., 1, B) -> (..., R).

    >>> mean_loss(torch.tensor([[1.0, 4.0]]), torch.tensor([3.0, 1.0]))
    tensor([1.7500])
    """
    if weights is None:
        return per_row.mean(-1)
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


def for_every_run(
    function: Callable[[Tensor, Tensor], Tensor],
    outputs: Tensor,
    targets: Tensor,
    own_targets: bool,
) -> Tensor:
    """Return ``per_row`` or ``measure`` of a loss, for shared targets or those of every run.

    Shape: outputs (R, B, O); targets (B, ...), or (R, B, ...) with ``own_targets`` -> (R, B).

    >>> outputs, targets = torch.zeros(2, 1, 1), torch.tensor([[[1.0]], [[3.0]]])
    >>> for_every_run(SquaredError().per_row, outputs, targets, own_targets=True)
    tensor([[1.],
            [9.]])
    """
    if not own_targets or getattr(getattr(function, "__self__", None), "run_targets", False):
        return function(outputs, targets)
    each = zip(outputs.split(1), targets, strict=True)
    return torch.cat([function(run, own) for run, own in each])


def row_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the reconstruction error of every row as in the paper, ‖x − x̂‖₂ / D.

    Shape: outputs (R, B, O); targets (B, O) -> (R, B).
    """
    return (outputs - targets).norm(dim=-1) / outputs.shape[-1]


def _require_same_outputs(outputs: Tensor, targets: Tensor) -> None:
    if targets.shape not in (outputs.shape[1:], outputs.shape):
        raise InputError(
            f"The targets have shape {tuple(targets.shape)} and the outputs of a run "
            f"{tuple(outputs.shape[1:])}: expected the same, one row of targets for each row."
        )


@dataclass(frozen=True)
class SquaredError:
    """Mean of the squared differences over the outputs of a row.

    >>> SquaredError().per_row(torch.zeros(1, 1, 2), torch.tensor([[1.0, 3.0]]))
    tensor([[5.]])
    """

    metric = "error"
    run_targets = True

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, O) or (R, B, O) -> (R, B)."""
        _require_same_outputs(outputs, targets)
        return squared_error_rows(outputs, targets)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return ‖y − ŷ‖₂ / O. Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        return row_error(outputs, targets)


@dataclass(frozen=True)
class Huber:
    """Huber loss: quadratic up to ``delta``, linear beyond, which reduces the effect of outliers.

    >>> Huber(delta=1.0).per_row(torch.zeros(1, 1, 1), torch.tensor([[3.0]]))
    tensor([[2.5000]])
    """

    delta: float = 1.0
    metric = "error"
    run_targets = True

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, O) or (R, B, O) -> (R, B)."""
        _require_same_outputs(outputs, targets)
        expanded = targets.expand_as(outputs)
        return functional.huber_loss(outputs, expanded, reduction="none", delta=self.delta).mean(-1)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return ‖y − ŷ‖₂ / O. Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        return row_error(outputs, targets)


@dataclass(frozen=True)
class CrossEntropy:
    """Negative log-probability of the true class.

    >>> CrossEntropy().per_row(torch.zeros(1, 1, 2), torch.tensor([1]))
    tensor([[0.6931]])
    """

    metric = "accuracy"
    run_targets = True

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, C); targets (B,) or (R, B), class numbers -> (R, B)."""
        return cross_entropy_rows(outputs, targets)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return 100 if the most probable class is correct, else 0. Shape: as ``per_row``."""
        return (outputs.argmax(-1) == targets).to(outputs.dtype) * 100


@dataclass(frozen=True)
class BinaryCrossEntropy:
    """Binary cross-entropy, averaged over the labels.

    >>> BinaryCrossEntropy().per_row(torch.zeros(1, 1, 2), torch.tensor([[1.0, 0.0]]))
    tensor([[0.6931]])
    """

    metric = "accuracy"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, C); targets (B, C), zeros and ones -> (R, B)."""
        _require_same_outputs(outputs, targets)
        # Run by run: vectorized sigmoids differ from those of the scalar remainder.
        losses = [
            functional.binary_cross_entropy_with_logits(run, targets, reduction="none").mean(-1)
            for run in outputs
        ]
        return torch.stack(losses)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the percentage of correct labels. Shape: as ``per_row``."""
        return ((outputs > 0) == (targets > 0.5)).to(outputs.dtype).mean(-1) * 100


@dataclass(frozen=True)
class CustomLoss:
    """A custom function of outputs (R, B, O) and targets (B, ...) that returns losses (R, B).

    >>> absolute = CustomLoss(lambda outputs, targets: (outputs - targets).abs().mean(-1))
    >>> absolute.per_row(torch.zeros(1, 2, 1), torch.tensor([[1.0], [3.0]]))
    tensor([[1., 3.]])
    """

    function: Callable[[Tensor, Tensor], Tensor]
    metric = "loss"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, ...) -> (R, B)."""
        values = self.function(outputs, targets)
        if not isinstance(values, Tensor) or values.shape != outputs.shape[:2]:
            got = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
            raise InputError(
                f"The loss function returned {got}: expected a tensor with one loss per run and "
                f"row, of shape {tuple(outputs.shape[:2])}. Average over the outputs only, for "
                "example with .mean(-1)."
            )
        if not values.is_floating_point():
            raise InputError(
                f"The loss function returned numbers of {values.dtype}: expected floating-point "
                "numbers, which have a gradient."
            )
        return values

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the loss. Shape: as ``per_row``."""
        return self.per_row(outputs, targets)
