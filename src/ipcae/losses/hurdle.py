"""A two-part loss for counts: zero or not, and how large."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.losses.counts import LARGEST_LOG_RATIO, Poisson


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
