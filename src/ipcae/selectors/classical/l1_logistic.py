"""ℓ1-penalized logistic regression."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import l1_min_c

from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets


@dataclass(frozen=True)
class L1Logistic(Ranking):
    """Absolute coefficients of an ℓ1-penalized logistic regression, summed over the classes.

    Starting from a model without features, the penalty is decreased, with warm starts, until at
    least K features have nonzero coefficients.

    Parameters
    ----------
    factor : float
        Factor by which the penalty decreases from one fit to the next.
    n_steps : int
        Maximum number of fits.
    max_iter : int
        Maximum number of passes over the rows per fit.

    See Also
    --------
    ipcae.selectors.GroupLasso : The order of a group lasso path.
    ipcae.selectors.Lasso : The order of a lasso path.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import L1Logistic
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=L1Logistic(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 0, 11, 12])
    """

    factor: float = 1.5
    n_steps: int = 30
    max_iter: int = 50

    needs = "classes"
    random = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the sums of the coefficients, averaged over the targets. Shape: -> (D,)."""
        return mean_over_targets(
            examples, lambda target: self._coefficients(examples, target, n_selected, seed)
        )

    def _coefficients(
        self, examples: Examples, target: NDArray[np.float64], n_selected: int, seed: int
    ) -> Scores:
        model = LogisticRegression(
            C=l1_min_c(examples.inputs, target, loss="log"),
            solver="saga",
            tol=1e-2,
            max_iter=self.max_iter,
            warm_start=True,
            random_state=seed,
            l1_ratio=1.0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the next fit is warm-started
            for _ in range(self.n_steps):
                model.C *= self.factor
                model.fit(examples.inputs, target, examples.weights)
                strength = np.abs(model.coef_).sum(0)
                if np.count_nonzero(strength) >= n_selected:
                    break
        return strength
