"""Column-pivoted QR: each next feature is the one the features before explain least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class PivotedQr(Ranking):
    """The pivots of a QR decomposition of the centered rows."""

    random = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return what was left of each feature's norm when it was its turn. Shape: -> (D,)."""
        centered = examples.inputs - examples.inputs.mean(0)
        triangle, pivots = qr(centered, mode="r", pivoting=True)
        scores = np.zeros(centered.shape[1])
        residuals = np.abs(np.diagonal(triangle))
        scores[pivots[: len(residuals)]] = residuals
        return scores
