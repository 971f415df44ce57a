"""Backward elimination with Cox models, or another ranking if it predicts better."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ipcae.decoders import linear_decoder
from ipcae.selectors.classical.adaptive import (
    scores_of_trees,
    scores_or_curves,
    scores_with_products,
)
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.cox_elimination import CoxElimination
from ipcae.selectors.classical.preferred import preferred_scores
from ipcae.survival import deviance_residuals


@dataclass(frozen=True)
class CoxAdaptive(Ranking):
    """Backward elimination with Cox models, or another ranking if it predicts better.

    A linear Cox model misses a column whose smallest and largest values are both harmful, such as
    age, and columns that matter only together, such as a treatment that helps some patients. So
    :class:`CoxElimination` is compared with what :class:`Adaptive` tries: products of two columns
    and squares, which are ranked with the columns, a forest, or boosted trees if there are many
    rows and few columns, and an additive model of curves. These are used if their K best columns
    predict better by two standard errors, curves by three. Trees, curves and comparisons predict
    the deviance residuals, which tell whether an event came earlier or later than expected if all
    risks were equal.

    See Also
    --------
    ipcae.selectors.CoxElimination : Backward elimination with Cox models.
    ipcae.selectors.Adaptive : The same for classes and numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import SurvivalSelector
    >>> from ipcae.selectors import CoxAdaptive
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 8))
    >>> time = random.exponential(np.exp(-2 * X[:, 3] * X[:, 7]))
    >>> y = np.column_stack([np.minimum(time, 2), time < 2])
    >>> selector = SurvivalSelector(2, method=CoxAdaptive(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([3, 7])
    """

    needs = "times"
    random = False
    auto_decoder = linear_decoder()
    linear = True
    copies = 13.0

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the scores of the ranking that is used. Shape: -> (D,)."""
        linear, numbers = CoxElimination(), _as_numbers(examples)
        scores = linear.scores(examples, n_selected, seed)
        others = (
            scores_with_products(linear, examples, scores, n_selected, numbers),
            scores_of_trees(numbers),
        )
        scores = preferred_scores(numbers, scores, others, n_selected)
        return scores_or_curves(numbers, scores, n_selected)


def _as_numbers(examples: Examples) -> Examples:
    """Replace times and events by deviance residuals."""
    time, event = examples.targets.T
    residuals = deviance_residuals(time, event > 0, examples.weights)
    return replace(examples, targets=residuals[:, None])
