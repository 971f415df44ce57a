"""UDFS: unsupervised discriminative feature selection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from sklearn.neighbors import NearestNeighbors

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class UnsupervisedDiscriminative(Ranking):
    """Unsupervised discriminative feature selection (Yang et al., 2011).

    Minimize tr(Wᵀ M W) + γ Σ_d ‖w_d‖₂ subject to WᵀW = 1, where M is the sum over the rows of the
    local scatter of each row and its nearest neighbors. The score of a feature is ‖w_d‖₂.

    Parameters
    ----------
    n_directions : int, default=10
        Number of columns of W.
    n_neighbors : int, default=5
        Number of nearest neighbors of a row.
    sparsity : float, default=0.1
        The weight γ.
    ridge : float, default=1000.0
        Ridge that is added to the local scatters before they are inverted.
    max_rows : int, default=2000
        Use at most ``max_rows`` rows, evenly spaced, because the cost is quadratic in their
        number.
    n_iterations : int, default=10
        Number of iterations of the minimization.

    See Also
    --------
    ipcae.selectors.PrincipalFeatures : Clusters of loadings.
    ipcae.selectors.ColumnSubset : The columns that explain all others best.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.selectors import UnsupervisedDiscriminative
    >>> X, y = load_wine(return_X_y=True)
    >>> method = UnsupervisedDiscriminative()
    >>> selector = ReconstructionSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X).get_support(indices=True)
    array([ 7, 11, 12])
    """

    n_directions: int = 10
    n_neighbors: int = 5
    sparsity: float = 0.1
    ridge: float = 1000.0
    max_rows: int = 2000
    n_iterations: int = 10

    copies = 8.0
    random = False
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return ‖w_d‖₂. Shape: -> (D,)."""
        inputs = examples.inputs
        stride = -(-len(inputs) // self.max_rows)
        scatter = self._scatter(inputs[::stride])
        n_features = len(scatter)
        n_directions = min(self.n_directions, n_features)
        length = np.ones(n_features)
        for _ in range(self.n_iterations):
            weighted = scatter + np.diag(self.sparsity / (2 * np.maximum(length, 1e-8)))
            _, directions = eigh(weighted, subset_by_index=(0, n_directions - 1))
            length = np.linalg.norm(directions, axis=1)
        return length

    def _scatter(self, inputs: Floats) -> Floats:
        """Return M. Shape: (N, D) -> (D, D)."""
        size = min(self.n_neighbors + 1, len(inputs))
        nearest = NearestNeighbors(n_neighbors=size).fit(inputs)
        members = nearest.kneighbors(inputs, return_distance=False)
        centering = np.eye(size) - 1 / size
        laplacian = np.zeros((len(inputs), len(inputs)))
        for rows in members:
            local = centering @ inputs[rows]
            inverse = _inverse(local @ local.T + self.ridge * np.eye(size))
            laplacian[np.ix_(rows, rows)] += centering @ inverse @ centering
        return inputs.T @ laplacian @ inputs


def _inverse(matrix: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:  # the ridge vanishes beside very large values
        return np.asarray(np.linalg.pinv(matrix, hermitian=True), dtype=np.float64)
