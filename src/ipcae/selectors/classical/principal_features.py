"""PFA: principal feature analysis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class PrincipalFeatures(Ranking):
    """Principal feature analysis (Lu et al., 2007).

    The loadings of the features on the first K principal components are clustered by k-means into
    K clusters. The feature nearest to the center represents its cluster.

    See Also
    --------
    ipcae.selectors.PivotedQr : Pivots of a QR decomposition.
    ipcae.selectors.UnsupervisedDiscriminative : Local scatter of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.selectors import PrincipalFeatures
    >>> X, y = load_wine(return_X_y=True)
    >>> method = PrincipalFeatures()
    >>> selector = ReconstructionSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X).get_support(indices=True)
    array([0, 6, 7])
    """

    random = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the size of the cluster that a feature represents, or less than 1 if none.

        Shape: -> (D,).
        """
        components = _components(examples, min(n_selected, *examples.inputs.shape), seed)
        clusters = KMeans(n_selected, n_init=1, random_state=seed).fit(components.T)
        distance = np.linalg.norm(
            components.T - clusters.cluster_centers_[clusters.labels_], axis=1
        )
        scores = 0.5 / (1.0 + distance)
        for cluster in np.unique(clusters.labels_):
            members = np.flatnonzero(clusters.labels_ == cluster)
            scores[members[distance[members].argmin()]] = len(members)
        return scores


def _components(examples: Examples, n_components: int, seed: int) -> Floats:
    """Return the first principal components. Shape: -> (K, D)."""
    inputs = examples.inputs
    n_rows, n_columns = inputs.shape
    if n_rows < n_columns:
        return np.asarray(PCA(n_components, random_state=seed).fit(inputs).components_)
    centered = torch.from_numpy(inputs - inputs.mean(0)).to(examples.device)
    directions = torch.linalg.eigh(centered.T @ centered).eigenvectors
    return directions.T.flip(0)[:n_components].cpu().numpy()
