"""Feature importances of a random forest."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class RandomForest(Ranking):
    """Impurity-based feature importances of a random forest.

    Parameters
    ----------
    n_trees : int
    """

    n_trees: int = 200

    needs = "target"
    random = True
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the importances, which sum to 1. Shape: -> (D,)."""
        kind = RandomForestClassifier if examples.discrete else RandomForestRegressor
        # The default of scikit-learn's classifier; the default of the regressor is all features.
        forest = kind(n_estimators=self.n_trees, max_features="sqrt", random_state=seed)
        targets = examples.targets
        forest.fit(
            examples.inputs, targets[:, 0] if targets.shape[1] == 1 else targets, examples.weights
        )
        return forest.feature_importances_
