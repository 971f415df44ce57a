"""Backward elimination by the increase in loss of a ridge regression."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import Array, noise_share, standardized, weighted

_TINY = 1e-12


@dataclass(frozen=True)
class Backward(Ranking):
    """Repeatedly drop the features that a ridge regression misses least.

    With A = XᵀX + λ I and the weights W = A⁻¹ Xᵀ Y, the loss increases by ‖w_j‖² / (A⁻¹)_jj if
    column j is dropped and the others are refitted. :class:`Elimination` uses ‖w_j‖² alone: two
    redundant columns both have small weights, but one of them may be needed. The inverse is
    computed once, and updated as columns are dropped.

    λ follows from the noise of the columns' correlations (:func:`noise_share`). With fewer rows
    than columns, the training loss is not informative, and :class:`GroupLasso` or
    :class:`Elimination` is better.

    Parameters
    ----------
    drop : float
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
        noise = noise_share(examples.inputs)
        columns = standardized(examples.inputs)
        inputs, targets = weighted(replace(examples, inputs=columns))
        ridge = max(noise / (1 - noise) * np.square(inputs).sum() / inputs.shape[1], _TINY)
        return dropping_order(inputs, targets, ridge, self.drop)


def dropping_order(inputs: Array, targets: Array, ridge: float, drop: float) -> Scores:
    """Return the position in which every column is dropped, from 1. Shape: (N, D), (N, T) -> (D,).

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> dropping_order(x, x[:, :1] + 0.1 * x[:, 2:], ridge=0.5, drop=0.02)
    array([3., 1., 2.])
    """
    n_rows, n_columns = inputs.shape
    left, scores = np.arange(n_columns), np.zeros(n_columns)

    def leave(rise: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Score the columns with the smallest rises; return the positions of both parts."""
        order = np.argsort(rise, kind="stable")
        n_out = max(1, int(drop * len(left)))
        scores[left[order[:n_out]]] = n_columns - len(left) + 1 + np.arange(n_out)
        return np.sort(order[n_out:]), order[:n_out]

    while len(left) > n_rows:  # invert the matrix of the rows, which is smaller
        own = inputs[:, left]
        solved = np.linalg.solve(own @ own.T + ridge * np.eye(n_rows), np.hstack([own, targets]))
        diagonal = (1 - np.einsum("nd,nd->d", own, solved[:, : len(left)])) / ridge
        weights = own.T @ solved[:, len(left) :]
        left = left[leave(np.square(weights).sum(1) / np.maximum(diagonal, _TINY))[0]]
    own = inputs[:, left]
    inverse = np.linalg.inv(own.T @ own + ridge * np.eye(len(left)))
    weights = inverse @ (own.T @ targets)
    while len(left):
        kept, out = leave(np.square(weights).sum(1) / np.diag(inverse))
        across = inverse[np.ix_(kept, out)] @ np.linalg.inv(inverse[np.ix_(out, out)])
        weights = weights[kept] - across @ weights[out]
        inverse = inverse[np.ix_(kept, kept)] - across @ inverse[np.ix_(out, kept)]
        left = left[kept]
    return scores
