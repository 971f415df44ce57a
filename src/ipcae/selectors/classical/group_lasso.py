"""The group lasso."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import weighted


@dataclass(frozen=True)
class GroupLasso(Ranking):
    """The order in which features enter the model as the penalty decreases, until there are K.

    All targets share the features: a feature enters if any of its coefficients is nonzero.

    Parameters
    ----------
    factor : float, default=0.85
        Factor by which the penalty decreases from one fit to the next.
    n_steps : int, default=40
        Maximum number of fits.
    balance : float, default=0.5
        Weight of rare classes: 0 weights all rows equally, 1 all classes. Values in between take
        rare classes into account without giving a single row the weight of half a table.

    See Also
    --------
    ipcae.selectors.Lasso : The order of a lasso path.
    ipcae.selectors.L1Logistic : Coefficients of a sparse logistic regression.
    ipcae.selectors.Adaptive : The ranking that suits the table.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import GroupLasso
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=GroupLasso(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6, 11, 12])
    """

    factor: float = 0.85
    n_steps: int = 40
    balance: float = 0.5

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return how many fits a feature was in; others by their correlation. Shape: -> (D,)."""
        inputs, targets = condensed(*weighted(examples.standardized(), self.balance))
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
                if examples.n_units(scores > 0) >= n_selected:
                    break
        left = np.linalg.norm(inputs.T @ (targets - inputs @ lasso.coef_.T), axis=1)
        tie = np.where(scores > 0, 1 + size / max(size.max(), 1e-12), left / max(left.max(), 1e-12))
        return scores + tie / 3


def condensed(inputs: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Return as few rows as possible with the same mean squared errors for all weights.

    They are the triangular factor of inputs and targets, so that the time of a fit does not grow
    with the number of rows. Few rows are returned as they are.

    Shape: (N, D), (N, T) -> (M, D), (M, T) with M = D + T.

    >>> random = np.random.default_rng(0)
    >>> x, y, w = random.normal(size=(90, 3)), random.normal(size=(90, 1)), np.ones((3, 1))
    >>> few_x, few_y = condensed(x, y)
    >>> few_x.shape
    (4, 3)
    >>> bool(np.isclose(np.square(few_y - few_x @ w).mean(), np.square(y - x @ w).mean()))
    True
    """
    n_rows, n_columns = inputs.shape
    n_few = n_columns + targets.shape[1]
    if n_rows < 3 * n_few:
        return inputs, targets
    factor = np.linalg.qr(np.hstack([inputs, targets]), mode="r") * np.sqrt(n_few / n_rows)
    return factor[:, :n_columns], factor[:, n_columns:]
