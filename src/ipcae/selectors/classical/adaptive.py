"""Elimination or the group lasso, by how correlated the columns are."""

from __future__ import annotations

from dataclasses import dataclass

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import Elimination, classes_of, noise_share
from ipcae.selectors.classical.group_lasso import GroupLasso


@dataclass(frozen=True)
class Adaptive(Ranking):
    """Backward elimination for classes and nearly independent columns, otherwise the group lasso.

    Columns are nearly independent if δ, the share of their correlations that is sampling noise
    (:func:`noise_share`), is larger than a threshold. The elimination is then close to a univariate
    test with moderated deviations. ``docs/decisions/0008`` gives the measurements.

    Parameters
    ----------
    threshold : float
        The value of δ from which on the elimination is used.
    """

    threshold: float = 0.6

    needs = "target"
    random = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the scores of the ranking that is used. Shape: -> (D,)."""
        ranking: Ranking = GroupLasso()
        if classes_of(examples) is not None and noise_share(examples.inputs) > self.threshold:
            ranking = Elimination()
        return ranking.scores(examples, n_selected, seed)
