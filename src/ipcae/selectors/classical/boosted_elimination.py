"""Backward elimination by the permutation importance of boosted trees."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.models.boosting import Boosted, two_parts

_GROWTH = 1.5  # of the scores from step to step; the score of a group is about its largest


@dataclass(frozen=True)
class BoostedElimination(Ranking):
    """Repeatedly drop the features with the smallest importance in boosted trees.

    In every step, trees are fitted to some rows, and the importance of a feature is the increase of
    their error on other rows when its values are permuted. Columns that matter only together are
    kept together, because all of them are present until one is dropped. Of redundant columns, one
    is kept: it becomes important when the others are gone.

    A random sample of 7,000 to 28,000 rows is used, more if there are fewer columns and classes,
    with equal shares of the classes if possible.

    Parameters
    ----------
    drop : float, default=0.25
        Fraction of the features to drop in each step, at least one.

    See Also
    --------
    ipcae.selectors.RandomForest : Importances of a random forest.
    ipcae.selectors.Backward : Backward elimination with ridge regressions.
    ipcae.selectors.Adaptive : Uses it for tables with many rows and few columns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import BoostedElimination
    >>> X, y = load_wine(return_X_y=True)
    >>> method = BoostedElimination()
    >>> selector = ClassificationSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    drop: float = 0.25

    needs = "target"
    copies = 2.0
    random = False
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return 1.5 to the power of the step at which a feature is dropped. Shape: -> (D,)."""
        n_columns = examples.inputs.shape[1]
        scores, alive, step = np.zeros(n_columns), np.arange(n_columns), 0
        fitted, held_out = two_parts(examples)
        random = np.random.default_rng(0)  # the same permutations in every run
        with threadpool_limits(1, "openmp"):  # a fit is too small to be shared by threads
            while len(alive) > 1:
                model = Boosted.fitted(fitted.with_columns(alive))
                size = importances(model, held_out.with_columns(alive), random)
                out = np.argsort(size, kind="stable")[: max(1, int(self.drop * len(alive)))]
                scores[alive[out]] = _GROWTH ** (step + np.arange(len(out)) / len(out))
                alive, step = np.delete(alive, out), step + 1
        scores[alive] = _GROWTH**step
        return scores


def importances(model: Boosted, examples: Examples, random: np.random.Generator) -> Floats:
    """Return the increase of the mean error when a column is permuted. Shape: -> (D,)."""
    before, permuted = model.errors(examples).mean(), examples.inputs.copy()
    found = np.empty(permuted.shape[1])
    for column, values in enumerate(examples.inputs.T):
        permuted[:, column] = random.permutation(values)
        found[column] = model.errors(replace(examples, inputs=permuted)).mean() - before
        permuted[:, column] = values
    return found
