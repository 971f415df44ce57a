"""The average of several rankings, adapted to how correlated the columns are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import (
    Elimination,
    noise_share,
    replace_inputs,
    standardized,
    weighted,
)
from ipcae.selectors.classical.random_forest import RandomForest


@dataclass(frozen=True)
class GroupLasso(Ranking):
    """The order in which a falling penalty lets features in, until K are in.

    All targets share the features: a feature is in if its coefficient for any target is.

    Parameters
    ----------
    factor : float
        By which the penalty falls from one fit to the next.
    n_steps : int
        Maximum number of fits.
    """

    factor: float = 0.85
    n_steps: int = 40

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return how many fits a feature was in; others by their correlation. Shape: -> (D,)."""
        inputs, targets = weighted(replace_inputs(examples, standardized(examples.inputs)))
        inputs = np.asfortranarray(inputs)
        largest = np.linalg.norm(inputs.T @ targets, axis=1).max() / len(inputs)
        scores = np.zeros(inputs.shape[1])
        if largest == 0:
            return scores
        lasso = MultiTaskLasso(
            largest, fit_intercept=False, warm_start=True, max_iter=200, tol=1e-3
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the next fit continues
            for _ in range(self.n_steps):
                lasso.alpha *= self.factor
                size = np.linalg.norm(lasso.fit(inputs, targets).coef_, axis=0)
                scores += size > 0
                if np.count_nonzero(scores) >= n_selected:
                    break
        left = np.linalg.norm(inputs.T @ (targets - inputs @ lasso.coef_.T), axis=1)
        tie = np.where(scores > 0, 1 + size / max(size.max(), 1e-12), left / max(left.max(), 1e-12))
        return scores + tie / 3


@dataclass(frozen=True)
class Consensus(Ranking):
    """The mean logarithm of the ranks of four rankings, for tables with few rows.

    Two backward eliminations (columns standardized, and on a common scale), a group lasso and a
    random forest. All but the first elimination have weight 1 − δ, where δ is the share of the
    columns' correlations that is sampling noise (:func:`noise_share`): if columns are independent,
    the ranking is that of a univariate test.

    Parameters
    ----------
    n_trees : int
        Of the forest.
    """

    n_trees: int = 500

    needs = "target"
    random = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the largest minus the mean logarithm of the ranks. Shape: -> (D,)."""
        rest = 1 - noise_share(examples.inputs)
        rankings: list[tuple[float, Ranking]] = [
            (1.0, Elimination()),
            (rest, Elimination(common_scale=True)),
            (rest, GroupLasso()),
            (rest, RandomForest(self.n_trees)),
        ]
        total = np.zeros(examples.inputs.shape[1])
        for weight, ranking in rankings:
            total += weight * np.log(_ranks(ranking.scores(examples, n_selected, seed)))
        return total.max() - total


def _ranks(scores: Scores) -> Scores:
    """Return the rank of every feature from 1, the best."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks
