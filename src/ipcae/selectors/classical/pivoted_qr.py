"""Column-pivoted QR decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class PivotedQr(Ranking):
    """The pivots of a QR decomposition of the centered rows.

    Each pivot is the feature that the previous ones explain least.
    """

    random = False
    linear = True
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the residual norm of each feature when it was chosen. Shape: -> (D,)."""
        centered = examples.inputs - examples.inputs.mean(0)
        triangle, pivots = qr(centered, mode="r", pivoting=True)
        scores = np.zeros(centered.shape[1])
        residuals = np.abs(np.diagonal(triangle))
        scores[pivots[: len(residuals)]] = residuals
        return scores
