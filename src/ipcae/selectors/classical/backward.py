"""Backward elimination by the increase in loss of a ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import standardized
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import numeric_targets, weighted
from ipcae.selectors.classical.statistics.noise_share import noise_share
from ipcae.selectors.classical.statistics.unexplained import unexplained

KEPT = 0.75
"""The penalty is estimated again when this share of the columns is left."""

_TINY = 1e-12


@dataclass(frozen=True)
class Backward(Ranking):
    """Repeatedly drop the features whose removal least increases the loss of a ridge regression.

    With A = XᵀX + λ I and the weights W = A⁻¹ Xᵀ Y, the loss increases by ‖w_j‖² / (A⁻¹)_jj if
    column j is dropped and the others are refitted. :class:`Elimination` uses ‖w_j‖² alone: two
    redundant columns both have small weights, but one of them may be needed.

    λ follows from δ, the share of the columns' correlations that is sampling noise
    (:func:`noise_share`). Whenever a quarter of the columns has been dropped, δ is estimated again,
    as the geometric mean of δ of all columns and δ of the remaining ones, given the targets. A few
    groups of redundant columns hardly change δ of many columns, but λ has to be small to keep one
    column of each group.

    With far fewer rows than columns, the training loss is not informative, and
    :class:`GroupLasso` or :class:`Elimination` is often better.

    Parameters
    ----------
    drop : float, default=0.02
        Fraction of the features to drop in each step, at least one.

    See Also
    --------
    ipcae.selectors.Elimination : Drop the features with the smallest weights.
    ipcae.selectors.GroupLasso : The order of a group lasso path.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import Backward
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=Backward(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    drop: float = 0.02

    needs = "target"
    random = False
    sized = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the position in which a feature is dropped, from 1. Shape: -> (D,)."""
        columns = standardized(examples.inputs)
        inputs, targets = weighted(replace(examples, inputs=columns))
        scale = np.square(inputs).sum() / inputs.shape[1]
        noise_of = noise_of_columns(columns, examples)

        def ridge(left: Integers) -> float:
            noise = noise_of(left)
            return float(max(noise / (1 - noise) * scale, _TINY))

        return dropping_order(inputs, targets, ridge, self.drop)


def noise_of_columns(columns: Floats, examples: Examples) -> Callable[[Integers], float]:
    """Return a function that estimates δ for the columns that are left."""
    targets = numeric_targets(examples)
    of_all = noise_share(columns)
    if 2 * targets.shape[1] > len(columns):  # given that many targets, hardly anything varies
        return lambda left: of_all
    given = unexplained(columns, targets)
    return lambda left: float(np.sqrt(of_all * min(of_all, noise_share(given[:, left]))))


def dropping_order(
    inputs: Floats, targets: Floats, ridge: Callable[[Integers], float], drop: float
) -> Scores:
    """Return the position in which every column is dropped, from 1. Shape: (N, D), (N, T) -> (D,).

    ``ridge`` returns the penalty for the columns that are left. The inverse is computed again with
    a new penalty, and updated in between.

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> dropping_order(x, x[:, :1] + 0.1 * x[:, 2:], lambda left: 0.5, drop=0.02)
    array([3., 1., 2.])
    """
    n_rows, n_columns = inputs.shape
    left, scores = np.arange(n_columns), np.zeros(n_columns)

    def leave(rise: Floats) -> tuple[Integers, Integers]:
        """Score the columns with the smallest rises; return the positions of both parts."""
        order = np.argsort(rise, kind="stable")
        n_out = max(1, int(drop * len(left)))
        scores[left[order[:n_out]]] = n_columns - len(left) + 1 + np.arange(n_out)
        return np.sort(order[n_out:]), order[:n_out]

    while len(left):
        penalty, few = ridge(left), KEPT * len(left)
        while len(left) > max(n_rows, few):  # invert the matrix of the rows, which is smaller
            own = inputs[:, left]
            moments = own @ own.T + penalty * np.eye(n_rows)
            solved = np.linalg.solve(moments, np.hstack([own, targets]))
            diagonal = (1 - np.einsum("nd,nd->d", own, solved[:, : len(left)])) / penalty
            weights = own.T @ solved[:, len(left) :]
            left = left[leave(np.square(weights).sum(1) / np.maximum(diagonal, _TINY))[0]]
        if len(left) > n_rows:
            continue
        own = inputs[:, left]
        inverse = np.linalg.inv(own.T @ own + penalty * np.eye(len(left)))
        weights = inverse @ (own.T @ targets)
        while len(left) > few:
            kept, out = leave(np.square(weights).sum(1) / np.diag(inverse))
            across = inverse[np.ix_(kept, out)] @ np.linalg.inv(inverse[np.ix_(out, out)])
            weights = weights[kept] - across @ weights[out]
            inverse = inverse[np.ix_(kept, kept)] - across @ inverse[np.ix_(out, kept)]
            left = left[kept]
    return scores
