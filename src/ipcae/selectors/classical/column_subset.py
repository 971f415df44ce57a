"""Greedy column subset selection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class ColumnSubset(Ranking):
    """Repeatedly add the feature that explains most of the residuals of all features.

    "Explains" means by linear regression on the features added so far (Farahat et al., 2011).
    A step costs N · D; no D × D matrix is formed for tables with more columns than rows.

    See Also
    --------
    ipcae.selectors.PivotedQr : Pivots of a QR decomposition.
    ipcae.selectors.PrincipalFeatures : Clusters of loadings.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.selectors import ColumnSubset
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ReconstructionSelector(3, method=ColumnSubset(), max_epochs=1, random_state=0)
    >>> selector.fit(X).get_support(indices=True)
    array([2, 6, 9])
    """

    random = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the variance that a feature explained when it was added. Shape: -> (D,)."""
        inputs = examples.inputs - examples.inputs.mean(0)
        if examples.weights is not None:
            roots = np.sqrt(examples.weights)[:, None]
            inputs = (inputs - np.average(inputs, 0, examples.weights)) * roots
        # Squared lengths of the residuals' products with all residuals, and with themselves.
        products, lengths = squared_products(inputs), np.square(inputs).sum(0)
        smallest = 1e-10 * max(float(lengths.max(initial=0.0)), 1e-280)
        directions = np.zeros((0, inputs.shape[1]))
        scores, alive = np.zeros(inputs.shape[1]), np.ones(inputs.shape[1], dtype=bool)
        limit = np.inf
        for _ in range(n_selected):
            gain = np.where(alive & (lengths > smallest), products / np.maximum(lengths, 1e-300), 0)
            best = int(gain.argmax())
            if gain[best] <= 0:
                break
            limit = scores[best] = min(float(gain[best]), limit)
            alive[best] = False
            column = inputs.T @ inputs[:, best] - directions.T @ directions[:, best]
            direction = column / np.sqrt(max(column[best], smallest))
            product = inputs.T @ (inputs @ direction) - directions.T @ (directions @ direction)
            products = products - 2 * direction * product + direction @ direction * direction**2
            products, lengths = np.maximum(products, 0), np.maximum(lengths - direction**2, 0)
            directions = np.vstack([directions, direction])
        gain = np.where(alive & (lengths > smallest), products / np.maximum(lengths, 1e-300), 0)
        return np.where(alive, np.minimum(gain, 0.999 * min(limit, 1e300)), scores)


def squared_products(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ‖Xᵀ x_d‖². Shape: (N, D) -> (D,)."""
    n_rows, n_columns = inputs.shape
    if n_columns > n_rows:
        return np.asarray((inputs @ inputs.T @ inputs * inputs).sum(0))
    return np.asarray(np.square(inputs.T @ inputs).sum(0))
