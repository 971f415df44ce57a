"""The group lasso."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import replace_inputs, standardized, weighted


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
