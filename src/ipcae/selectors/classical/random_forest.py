"""Feature importances of a random forest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from ipcae.arrays import Integers
from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class RandomForest(Ranking):
    """Impurity-based feature importances of a random forest.

    Parameters
    ----------
    n_trees : int, default=200
        Number of trees.

    See Also
    --------
    ipcae.selectors.MutualInformation : Univariate mutual information.
    ipcae.selectors.Adaptive : The ranking that suits the table.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import RandomForest
    >>> X, y = load_wine(return_X_y=True)
    >>> method = RandomForest(n_trees=100)
    >>> selector = ClassificationSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    n_trees: int = 200

    needs = "target"
    copies = 5.0
    random = True
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the importances; columns of a unit get the norm of theirs. Shape: -> (D,)."""
        kind = RandomForestClassifier if examples.discrete else RandomForestRegressor
        # The default of scikit-learn's classifier; the default of the regressor is all features.
        forest = kind(
            n_estimators=self.n_trees,
            max_features="sqrt",
            random_state=seed,
            n_jobs=torch.get_num_threads(),  # the trees do not depend on it
        )
        targets = examples.targets
        forest.fit(
            examples.inputs, targets[:, 0] if targets.shape[1] == 1 else targets, examples.weights
        )
        return norms_of_units(forest.feature_importances_, examples.units)


def norms_of_units(scores: Scores, units: Integers | None) -> Scores:
    """Return the norm of the scores of its unit for every column. Shape: (D,), (D,) -> (D,).

    Impurity is divided among the columns of a unit. Their sum would overrate categories with many
    levels.

    >>> norms_of_units(np.array([3.0, 1.0, 4.0]), np.array([0, 1, 0]))
    array([5., 1., 5.])
    """
    return scores if units is None else np.sqrt(np.bincount(units, scores**2))[units]
