"""Losses for counts, whose variance grows with their mean."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.errors import InputError

LARGEST_LOG_RATIO = 30.0  # larger ones would overflow


class _Deviance:
    """Half the deviance of every row, averaged over the columns: 0 if the counts are predicted.

    The output is the logarithm of the ratio of the predicted to the expected count, which accounts
    for the mean of the column and the total of the row.
    """

    metric = "loss"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, D); targets (B, 2 D), counts and expected counts -> (R, B)."""
        if targets.shape != (outputs.shape[1], 2 * outputs.shape[2]):
            raise InputError(
                f"The targets have shape {tuple(targets.shape)} and the outputs of a run "
                f"{tuple(outputs.shape[1:])}: expected counts and expected counts for each output."
            )
        counts, expected = targets.chunk(2, -1)
        # Run by run: vectorized exponentials differ from those of the scalar remainder.
        losses = [
            self.deviance(counts, expected, run.clamp(max=LARGEST_LOG_RATIO)).mean(-1)
            for run in outputs
        ]
        return torch.stack(losses)

    def deviance(self, counts: Tensor, expected: Tensor, log_ratio: Tensor) -> Tensor:
        """Return half the deviance of every count."""
        raise NotImplementedError

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the loss. Shape: as ``per_row``."""
        return self.per_row(outputs, targets)


@dataclass(frozen=True)
class Poisson(_Deviance):
    """Counts whose variance is their mean: x log(x / μ) − x + μ.

    See Also
    --------
    losses.NegativeBinomial : Counts that vary more than a Poisson distribution.
    ReconstructionSelector : Takes it as ``loss="poisson"``.

    Examples
    --------
    >>> targets = torch.tensor([[3.0, 1.0]])  # three, where one was expected
    >>> Poisson().per_row(torch.tensor([[[3.0]]]).log(), targets).item()
    0.0
    """

    def deviance(self, counts: Tensor, expected: Tensor, log_ratio: Tensor) -> Tensor:
        """Return half the deviance of every count."""
        mean = expected * log_ratio.exp()
        return torch.xlogy(counts, counts / expected) - counts * log_ratio - counts + mean


@dataclass(frozen=True)
class NegativeBinomial(_Deviance):
    """Counts of variance μ + α μ²: x log(x / μ) − (x + 1/α) log((x + 1/α) / (μ + 1/α)).

    Parameters
    ----------
    dispersion : float or None, default=None
        α, the same for all columns. None estimates it from the training rows.

    See Also
    --------
    losses.Poisson : The limit of a dispersion of 0.
    ReconstructionSelector : Takes it as ``loss="negative_binomial"``.

    Examples
    --------
    >>> targets = torch.tensor([[3.0, 1.0]])
    >>> loss = NegativeBinomial(dispersion=1.0).per_row(torch.zeros(1, 1, 1), targets)
    >>> loss < Poisson().per_row(torch.zeros(1, 1, 1), targets)  # less surprising
    tensor([[True]])
    """

    dispersion: float | None = None

    def __post_init__(self) -> None:
        if self.dispersion is not None and not self.dispersion > 0:
            raise InputError(f"dispersion={self.dispersion!r} is not positive: expected above 0.")

    def deviance(self, counts: Tensor, expected: Tensor, log_ratio: Tensor) -> Tensor:
        """Return half the deviance of every count."""
        if self.dispersion is None:
            raise InputError("The dispersion is not known: pass NegativeBinomial(dispersion=0.5).")
        size = 1 / self.dispersion
        mean = expected * log_ratio.exp()
        log_odds = torch.log((counts + size) / (mean + size))
        surprise = torch.xlogy(counts, counts / expected) - counts * log_ratio
        return surprise - (counts + size) * log_odds


@dataclass(frozen=True)
class Hurdle:
    """Half the deviance of a hurdle model, averaged over the columns.

    A count is above zero with probability 1 − exp(−a), and if it is, the rest of it, x − 1, has a
    Poisson distribution of mean b. The outputs are the logarithms of the ratios of a and b to their
    expectations, which account for the column and the total of the row.

    See Also
    --------
    losses.Poisson : Without a separate probability of zero.
    ReconstructionSelector : Takes it as ``loss="hurdle"``.

    Examples
    --------
    >>> expected = torch.tensor([[0.0, 1.0, 2.0]])  # nothing, where exp(-1) was expected
    >>> Hurdle().per_row(torch.zeros(1, 1, 2), expected).item()
    1.0
    """

    metric = "loss"

    def per_row(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Shape: outputs (R, B, 2 D); targets (B, 3 D), counts and expected a and b -> (R, B)."""
        if 2 * targets.shape[-1] != 3 * outputs.shape[2] or len(targets) != outputs.shape[1]:
            raise InputError(
                f"The targets have shape {tuple(targets.shape)} and the outputs of a run "
                f"{tuple(outputs.shape[1:])}: expected two outputs and three targets per column."
            )
        # Run by run: vectorized exponentials differ from those of the scalar remainder.
        return torch.stack([self.deviance(run, targets).mean(-1) for run in outputs])

    def deviance(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return half the deviance of every count. Shape: (B, 2 D), (B, 3 D) -> (B, D)."""
        counts, rate, excess = targets.chunk(3, -1)
        detection, level = outputs.clamp(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO).chunk(2, -1)
        found = counts > 0
        rate = rate * detection.exp()
        surprise = torch.where(found, -torch.log(-torch.expm1(-rate.clamp(min=1e-12))), rate)
        rest = (counts - 1).clamp(min=0)
        amount = Poisson().deviance(rest, excess, level)
        return surprise + torch.where(found, amount, torch.zeros_like(amount))

    def measure(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the loss. Shape: as ``per_row``."""
        return self.per_row(outputs, targets)
