"""Mutual information with the target."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets


@dataclass(frozen=True)
class MutualInformation(Ranking):
    """Mutual information I(x_d; y), estimated from nearest neighbors.

    Parameters
    ----------
    n_neighbors : int
    """

    n_neighbors: int = 3

    needs = "target"
    random = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the mutual information in nats, averaged over the targets. Shape: -> (D,)."""
        estimate = mutual_info_classif if examples.discrete else mutual_info_regression
        return mean_over_targets(
            examples,
            lambda target: estimate(
                examples.inputs, target, n_neighbors=self.n_neighbors, random_state=seed
            ),
        )
