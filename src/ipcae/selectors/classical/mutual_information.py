"""Mutual information with the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.feature_selection import mutual_info_regression

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets
from ipcae.selectors.classical.statistics.class_information import class_information


@dataclass(frozen=True)
class MutualInformation(Ranking):
    """Mutual information I(x_d; y), estimated from nearest neighbors.

    The estimates are those of scikit-learn; with classes they are computed on the device of the
    fit.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of neighbors of the estimate.

    See Also
    --------
    ipcae.selectors.Anova : Univariate F-values.
    ipcae.selectors.RandomForest : Importances of a random forest.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import MutualInformation
    >>> X, y = load_wine(return_X_y=True)
    >>> method = MutualInformation()
    >>> selector = ClassificationSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    n_neighbors: int = 3

    needs = "target"
    copies = 5.0
    random = True
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the mutual information in nats, averaged over the targets. Shape: -> (D,)."""
        n_rows, n_features = examples.inputs.shape
        # Three rows have two neighbors each; a single row has none.
        n_neighbors = min(self.n_neighbors, n_rows - 1)
        if n_neighbors == 0:
            return np.zeros(n_features)

        def information(target: Floats) -> Scores:
            inputs = examples.inputs
            if not examples.discrete:
                return mutual_info_regression(
                    inputs, target, n_neighbors=n_neighbors, random_state=seed
                )
            if len(np.unique(target)) == n_rows:
                return np.zeros(n_features)  # nor does a class of a single row
            return class_information(inputs, target, n_neighbors, seed, examples.device)

        return mean_over_targets(examples, information)
