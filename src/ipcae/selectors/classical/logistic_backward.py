"""Backward elimination by the increase in loss of logistic regressions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import indicators, standardized
from ipcae.selectors.classical.backward import KEPT, noise_of_columns
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.examples import classes_of
from ipcae.selectors.classical.models.ridge_logistic import RidgeLogistic, row_space

MOST_ROWS = 5000
"""More rows hardly change the order."""

MANY_ROWS, MOST_COLUMNS, MOST_WITH_FEW_ROWS = 300, 1000, 5000
"""Numbers of columns that are eliminated one by one, with many rows and with fewer."""

MOST_WORK = 5e10
"""Bound on N D² times the number of regressions, about 15 seconds on one core."""

_TINY = 1e-3


@dataclass(frozen=True)
class LogisticBackward(Ranking):
    """Repeatedly drop the features whose removal least increases logistic losses.

    There is one regression per class, which distinguishes it from the others, with a ridge penalty
    λ. With its Hessian H, weights w and a quadratic approximation of the loss, the loss increases
    by ½ w_j² / (H⁻¹)_jj if column j is dropped and the others are refitted; the increases are
    summed over the classes. :class:`Backward` does the same with squared errors, which also count
    rows that are classified correctly by a wide margin. The logistic loss counts the rows near the
    boundaries between classes, so it keeps the columns that distinguish similar classes. This
    matters most if there are many classes.

    λ follows from the share of the columns' correlations that is sampling noise, as in
    :class:`Backward`. Whenever a quarter of the columns has been dropped, it is estimated again,
    and the regressions are fitted again. At most 5,000 rows are used. :class:`Elimination` first
    drops all but the best 5,000 columns; with 300 rows or more, all but the best 1,000, or fewer if
    there are many rows and classes.

    Parameters
    ----------
    drop : float, default=0.1
        Fraction of the features to drop in each step, at least one.
    strength : float, default=0.5
        Factor of the penalty, relative to :class:`Backward`.

    See Also
    --------
    ipcae.selectors.Backward : Backward elimination with squared errors.
    ipcae.selectors.L1Logistic : Logistic regression with an ℓ1 penalty.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import LogisticBackward
    >>> X, y = load_wine(return_X_y=True)
    >>> method = LogisticBackward()
    >>> selector = ClassificationSelector(3, method=method, max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    drop: float = 0.1
    strength: float = 0.5

    needs = "classes"
    random = False
    sized = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the position in which a feature is dropped, from 1. Shape: -> (D,)."""
        examples = examples.thinned(MOST_ROWS)
        n_columns, most = examples.inputs.shape[1], _most_columns(examples)
        if n_columns <= most:
            return self._positions(examples)
        earlier = Elimination().scores(examples, 1, seed)
        order = np.argsort(earlier, kind="stable")
        scores, best = np.empty(n_columns), np.sort(order[-most:])
        scores[order] = 1.0 + np.arange(n_columns)
        scores[best] = n_columns - most + self._positions(examples.with_columns(best))
        return scores

    def _positions(self, examples: Examples) -> Scores:
        """Return the position in which a feature is dropped, from 1. Shape: -> (D,)."""
        columns, targets = standardized(examples.inputs), _targets(examples)
        noise_of = noise_of_columns(columns, examples)

        def penalty(left: Integers) -> float:
            noise = noise_of(left)
            return float(max(self.strength * noise / (1 - noise) * len(columns), _TINY))

        return _dropping_order(columns, targets, examples.relative_weights, penalty, self.drop)


def _targets(examples: Examples) -> Floats:
    """Return a column of zeros and ones for every regression. Shape: -> (N, T)."""
    classes = classes_of(examples)
    if classes is None:  # labels
        return examples.targets
    targets = indicators(classes)
    return targets if targets.shape[1] > 2 else targets[:, 1:]


def _most_columns(examples: Examples) -> int:
    """Return the number of columns that can be eliminated in reasonable time."""
    n_rows = len(examples.inputs)
    if n_rows < MANY_ROWS:
        return MOST_WITH_FEW_ROWS
    affordable = math.sqrt(MOST_WORK / (n_rows * _targets(examples).shape[1]))
    return min(MOST_COLUMNS, int(affordable))


def _dropping_order(
    inputs: Floats,
    targets: Floats,
    weights: Floats,
    penalty: Callable[[Integers], float],
    drop: float,
) -> Scores:
    """Return the position in which every column is dropped, from 1. Shape: (N, D) -> (D,).

    With more columns than rows, the regressions are fitted again after each step, in the space of
    the rows. With fewer, their weights and inverse Hessians are updated in between.
    """
    n_rows, n_columns = inputs.shape
    left, scores = np.arange(n_columns), np.zeros(n_columns)
    models = [RidgeLogistic.without_columns(target, weights, n_columns) for target in targets.T]
    while len(left):
        size, own = penalty(left), inputs[:, left]
        basis = row_space(own) if len(left) > n_rows else None
        models = [model.fitted(own, size, basis) for model in models]
        few = KEPT * len(left) if basis is None else len(left) - 1
        while len(left) > few:
            order = np.argsort(sum(model.rises() for model in models), kind="stable")
            out = order[: max(1, int(drop * len(left)))]
            kept = np.sort(order[len(out) :])
            scores[left[out]] = n_columns - len(left) + 1 + np.arange(len(out))
            models = [model.without(out, kept) for model in models]
            left = left[kept]
    return scores
