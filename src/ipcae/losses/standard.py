"""Losses for numbers, classes and labels, and custom ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.ops import cross_entropy_rows, losses_and_gradients, squared_error_rows


def row_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the reconstruction error of every row as in the paper, ‖x − x̂‖₂ / D.

    Shape: outputs (R, B, O); targets (B, O) -> (R, B).
    """
    return (outputs - targets).norm(dim=-1) / outputs.shape[-1]


def _require_same_outputs(outputs: Tensor, targets: Tensor) -> None:
    if targets.shape != outputs.shape[1:]:
        raise InputError(
            f"The targets have shape {tuple(targets.shape)} and the outputs of a run "
            f"{tuple(outputs.shape[1:])}: expected the same, one row of targets for each row."
        )


@dataclass(frozen=True)
class SquaredError:
    """Mean of the squared differences over the outputs of a row.

    See Also
    --------
    losses.Huber : Less sensitive to outliers.
    RegressionSelector : Uses it by default.

    Examples
    --------
    >>> SquaredError().per_row(torch.zeros(1, 1, 2), torch.tensor([[1.0, 3.0]]))
    tensor([[5.]])
    """

    metric = "error"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        _require_same_outputs(outputs, targets)
        return squared_error_rows(outputs, targets)

    def with_gradient(
        self, outputs: Tensor, targets: Tensor, shares: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Shape: outputs (R, B, O); targets (B, O); shares (R, B) -> (R, B), (R, B, O)."""
        _require_same_outputs(outputs, targets)
        return losses_and_gradients(squared_error_rows, outputs, targets, shares)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return ‖y − ŷ‖₂ / O. Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        return row_error(outputs, targets)


@dataclass(frozen=True)
class Huber:
    """Huber loss: quadratic up to ``delta``, linear beyond, which reduces the effect of outliers.

    Parameters
    ----------
    delta : float, default=1.0
        Error up to which the loss is quadratic, in units of the scaled target.

    See Also
    --------
    losses.SquaredError : The default for numbers.
    RegressionSelector : Takes it as ``loss=Huber(0.5)``.

    Examples
    --------
    >>> Huber(delta=1.0).per_row(torch.zeros(1, 1, 1), torch.tensor([[3.0]]))
    tensor([[2.5000]])
    """

    delta: float = 1.0
    metric = "error"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        _require_same_outputs(outputs, targets)
        expanded = targets.expand_as(outputs)
        return functional.huber_loss(outputs, expanded, reduction="none", delta=self.delta).mean(-1)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return ‖y − ŷ‖₂ / O. Shape: outputs (R, B, O); targets (B, O) -> (R, B)."""
        return row_error(outputs, targets)


@dataclass(frozen=True)
class CrossEntropy:
    """Negative log-probability of the true class.

    See Also
    --------
    losses.BinaryCrossEntropy : For several labels per row.
    ClassificationSelector : Uses it by default.

    Examples
    --------
    >>> CrossEntropy().per_row(torch.zeros(1, 1, 2), torch.tensor([1]))
    tensor([[0.6931]])
    """

    metric = "accuracy"
    outputs_are_logits = True

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, C); targets (B,), class numbers -> (R, B)."""
        return cross_entropy_rows(outputs, targets)

    def with_gradient(
        self, outputs: Tensor, targets: Tensor, shares: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Shape: outputs (R, B, C); targets (B,); shares (R, B) -> (R, B), (R, B, C)."""
        return losses_and_gradients(cross_entropy_rows, outputs, targets, shares)

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return 100 if the most probable class is correct, else 0. Shape: as ``per_row``."""
        return (outputs.argmax(-1) == targets).to(outputs.dtype) * 100


@dataclass(frozen=True)
class BinaryCrossEntropy:
    """Binary cross-entropy, averaged over the labels.

    See Also
    --------
    losses.CrossEntropy : For one class per row.
    ClassificationSelector : Uses it if y is a matrix of zeros and ones.

    Examples
    --------
    >>> BinaryCrossEntropy().per_row(torch.zeros(1, 1, 2), torch.tensor([[1.0, 0.0]]))
    tensor([[0.6931]])
    """

    metric = "accuracy"
    outputs_are_logits = True

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
