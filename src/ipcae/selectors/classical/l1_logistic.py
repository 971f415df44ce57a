"""ℓ1-penalized logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.svm import l1_min_c
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.ridge import indicators
from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets
from ipcae.selectors.classical.models.logistic_lasso import LogisticLasso
from ipcae.selectors.classical.statistics.noise_share import noise_share

TOLERANCE, WIDE_TOLERANCE, EARLY_TOLERANCE = 0.01, 0.001, 0.2
"""With more columns than rows, fits have to be closer to the minimum, unless the columns are
independent: stopping early then finds more of the informative ones."""

INDEPENDENT = 0.98
"""δ of independent columns."""


@dataclass(frozen=True)
class L1Logistic(Ranking):
    """Absolute coefficients of an ℓ1-penalized logistic regression, summed over the classes.

    Starting from a model without features, the penalty is decreased, with warm starts, until at
    least K features have nonzero coefficients. With more columns than rows, a fit is stopped early
    if the columns are independent (:func:`noise_share`), which is closer to a test of every column.

    Parameters
    ----------
    factor : float, default=1.5
        Factor by which the penalty decreases from one fit to the next.
    n_steps : int, default=30
        Maximum number of fits.
    max_iter : int, default=300
        Maximum number of passes over the rows per fit, which the next fit continues.

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
    max_iter: int = 300

    needs = "classes"
    random = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the sums of the coefficients, averaged over the targets. Shape: -> (D,)."""
        return mean_over_targets(
            examples, lambda target: self._coefficients(examples, target, n_selected)
        )

    def _coefficients(self, examples: Examples, target: Floats, n_selected: int) -> Scores:
        inputs = examples.inputs
        scale = inputs.std(0)
        scale[scale == 0] = 1.0

        def tensor(array: Floats) -> Tensor:
            return torch.from_numpy(array).to(examples.device)

        classes = np.unique(target, return_inverse=True)[1]
        model = LogisticLasso(
            tensor((inputs - inputs.mean(0)) / scale),
            tensor(indicators(classes)),
            tensor(examples.row_weights[:, None]),
            tensor(1 / scale[:, None]),
            tolerance=_tolerance(inputs),
            max_iter=self.max_iter,
        )
        penalty, fit = 1 / l1_min_c(inputs, target, loss="log"), model.zeros()
        for _ in range(self.n_steps):
            penalty /= self.factor
            fit = model.fit(fit, penalty)
            strength = fit.coefficients.abs().sum(1).cpu().numpy() / scale
            if np.count_nonzero(strength) >= n_selected:
                break
        return np.asarray(strength)


def _tolerance(inputs: Floats) -> float:
    """Return how close to the minimum a fit has to be."""
    if len(inputs) >= inputs.shape[1]:
        return TOLERANCE
    return EARLY_TOLERANCE if noise_share(inputs) > INDEPENDENT else WIDE_TOLERANCE
