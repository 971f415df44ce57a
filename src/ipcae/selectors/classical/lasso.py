"""The lasso path."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets


@dataclass(frozen=True)
class Lasso(Ranking):
    """The largest ℓ1 penalty at which a feature has a nonzero coefficient in the lasso path.

    See Also
    --------
    ipcae.selectors.GroupLasso : The order of a group lasso path.
    ipcae.selectors.L1Logistic : Coefficients of a sparse logistic regression.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ipcae import RegressionSelector
    >>> from ipcae.selectors import Lasso
    >>> X, y = load_diabetes(return_X_y=True)
    >>> selector = RegressionSelector(3, method=Lasso(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([2, 3, 8])
    """

    needs = "numbers"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the penalty at which each feature enters, averaged over the targets.

        Shape: -> (D,).
        """
        return mean_over_targets(
            examples, lambda target: _entry(examples.inputs, target, n_selected)
        )


def _entry(inputs: Floats, target: Floats, n_selected: int) -> Floats:
    with warnings.catch_warnings():
        # A column that is the sum of others, such as a level of a category, is dropped, and the
        # path ends where the residuals are too small to continue.
        warnings.simplefilter("ignore", ConvergenceWarning)
        penalties, _, coefficients = lars_path(
            inputs - inputs.mean(0),
            target - target.mean(),
            # A feature may leave the path again.
            max_iter=2 * n_selected,
            method="lasso",
        )
    # A coefficient that is first nonzero at one penalty entered at the penalty before.
    inside = coefficients[:, 1:] != 0
    if inside.shape[1] == 0:  # nothing ever enters, for example if the target is constant
        return np.zeros(len(inside))
    return np.where(inside.any(1), penalties[inside.argmax(1)], 0.0)
