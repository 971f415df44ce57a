"""Univariate F-tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.feature_selection import f_classif, f_regression
from torch import Tensor

from ipcae.selectors.classical.base import Examples, Ranking, Scores, mean_over_targets
from ipcae.selectors.classical.statistics.f_values import f_values, weighted_f_values


@dataclass(frozen=True)
class Anova(Ranking):
    """ANOVA F-values between classes, or F-values of the correlation with a numeric target.

    For a table that is read in parts, this takes one more pass. Scores are then not adjusted for
    included features, which would need all rows.

    See Also
    --------
    ipcae.selectors.MutualInformation : Univariate mutual information.
    ipcae.selectors.Elimination : Backward elimination with ridge weights.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import Anova
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=Anova(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6, 11, 12])
    """

    needs = "target"
    random = False
    linear = True
    sized = False
    streams = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return F-values, averaged over the targets. Shape: -> (D,)."""
        weights, discrete = examples.weights, examples.discrete
        if weights is not None:
            return mean_over_targets(
                examples, lambda y: weighted_f_values(examples.inputs, y, weights, discrete)
            )
        test = f_classif if discrete else f_regression
        with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
            # A copy of the target has no variance within a class: its value is the largest number.
            warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)
            return mean_over_targets(examples, lambda target: test(examples.inputs, target)[0])

    def scores_of_parts(self, parts: Iterable[tuple[Tensor, Tensor]], discrete: bool) -> Scores:
        """Return the same F-values, up to rounding, in one pass over the rows. Shape: -> (D,)."""
        return f_values(parts, discrete)
