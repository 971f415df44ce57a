"""Column-pivoted QR decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.linalg import qr

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class PivotedQr(Ranking):
    """The pivots of a QR decomposition of the centered rows.

    Each pivot is the feature that the previous ones explain least.

    See Also
    --------
    ipcae.selectors.ColumnSubset : The columns that explain all others best.
    ipcae.selectors.PrincipalFeatures : Clusters of loadings.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.selectors import PivotedQr
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ReconstructionSelector(3, method=PivotedQr(), max_epochs=1, random_state=0)
    >>> selector.fit(X).get_support(indices=True)
    array([1, 2, 8])
    """

    random = False
    linear = True
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the residual norm of each feature when it was chosen. Shape: -> (D,)."""
        centered = examples.inputs - examples.inputs.mean(0)
        triangle, pivots = qr(_condensed(centered, examples.device), mode="r", pivoting=True)
        scores = np.zeros(centered.shape[1])
        residuals = np.abs(np.diagonal(triangle))
        scores[pivots[: len(residuals)]] = residuals
        return scores


def _condensed(inputs: Floats, device: torch.device) -> Floats:
    """Return the triangular factor of a tall table, which has the same pivots. Shape: -> (≤ N, D).

    Without pivots the decomposition is several times as fast.
    """
    if len(inputs) < 2 * inputs.shape[1]:
        return inputs
    return torch.linalg.qr(torch.from_numpy(inputs).to(device), mode="r").R.cpu().numpy()
