"""Losses per run and row."""

from ipcae.losses.base import (
    Loss,
    compares_rows,
    mean_loss,
    row_losses,
    row_shares,
)
from ipcae.losses.counts import Hurdle, NegativeBinomial, Poisson
from ipcae.losses.cox import CoxPartialLikelihood
from ipcae.losses.observed import Observed
from ipcae.losses.panel import CrossEntropyWithReconstruction
from ipcae.losses.standard import (
    BinaryCrossEntropy,
    CrossEntropy,
    CustomLoss,
    Huber,
    SquaredError,
    row_error,
)

__all__ = [
    "BinaryCrossEntropy",
    "CoxPartialLikelihood",
    "CrossEntropy",
    "CrossEntropyWithReconstruction",
    "CustomLoss",
    "Huber",
    "Hurdle",
    "Loss",
    "NegativeBinomial",
    "Observed",
    "Poisson",
    "SquaredError",
    "compares_rows",
    "mean_loss",
    "row_error",
    "row_losses",
    "row_shares",
]
