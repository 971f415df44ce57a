"""Backward elimination by ridge regression, with a ridge estimated from the correlations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import ridge_weights
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import classes_of, weighted
from ipcae.selectors.classical.statistics.moderation import moderated_deviations
from ipcae.selectors.classical.statistics.noise_share import noise_share

_TINY = 1e-12


@dataclass(frozen=True)
class Elimination(Ranking):
    """Repeatedly drop the features with the smallest ridge weights.

    The weights are those of the shrunk covariance (1 − δ) S + δ s I for the centered targets, or
    for the indicators of the classes, all classes with the same total weight. δ is Ledoit and
    Wolf's estimate of how much of the columns' correlations is sampling noise. If columns are
    independent, δ is close to 1 and the ranking is that of a univariate test; if they are
    redundant, δ is small and one of each group is kept. As δ approaches 1, the columns are divided
    by moderated standard deviations (:func:`moderated_deviations`).

    Parameters
    ----------
    drop : float, default=0.1
        Fraction of the features to drop in each step; from K / 2 on, one at a time.
    common_scale : bool, default=False
        Whether the columns keep their relative variances instead of being standardized.

    See Also
    --------
    ipcae.selectors.Adaptive : The ranking that suits the table.
    ipcae.selectors.GroupLasso : The order of a group lasso path.
    ipcae.selectors.CoxElimination : Backward elimination with Cox models.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import Elimination
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=Elimination(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 0,  6, 12])
    """

    drop: float = 0.1
    common_scale: bool = False

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the step at which a feature is dropped. Shape: -> (D,)."""
        inputs = examples.inputs
        noise = noise_share(inputs)
        columns = inputs - inputs.mean(0)
        if not self.common_scale:
            columns = columns / deviations(examples, noise)
        inputs, targets = weighted(replace(examples, inputs=columns))
        ridge = noise / (1 - noise) * np.square(inputs).sum() / inputs.shape[1]
        ridge = max(ridge, _TINY)  # all columns may be zero after centering
        inputs = np.asfortranarray(inputs)  # columns are taken from it many times

        def size(alive: Integers) -> Floats:
            return np.square(ridge_weights(inputs[:, alive], targets, ridge)).sum(1)

        return dropping_steps(size, inputs.shape[1], n_selected, self.drop)


def dropping_steps(
    size_of: Callable[[Integers], Floats], n_columns: int, n_selected: int, drop: float
) -> Floats:
    """Return the step at which a column is dropped, those with the smallest sizes first.

    ``size_of`` returns the sizes of the columns that are left. Shape: -> (D,).

    >>> dropping_steps(lambda left: np.array([3.0, 1.0, 2.0])[left], 3, 1, drop=0.1).round(2)
    array([2.  , 0.17, 1.33])
    """
    alive = np.arange(n_columns)
    scores, step = np.zeros(n_columns), 0
    while len(alive) > 1:
        size = size_of(alive)
        n_out = max(1, int(drop * len(alive))) if len(alive) > n_selected // 2 else 1
        out = np.argsort(size, kind="stable")[:n_out]
        scores[alive[out]] = step + size[out] / (size.max() + _TINY) / 2
        alive, step = np.delete(alive, out), step + 1
    scores[alive] = step
    return scores


def deviations(examples: Examples, noise: float) -> Floats:
    """Return s^(1 − w) s̃^w with w = δ⁴, infinite for constant columns. Shape: -> (D,)."""
    own = examples.inputs.std(0)
    shrunk = moderated_deviations(examples.inputs, classes_of(examples))
    varying = (own > _TINY) & np.isfinite(shrunk)
    result = np.full(len(own), np.inf)
    weight = noise**4
    result[varying] = own[varying] ** (1 - weight) * shrunk[varying] ** weight
    return result
