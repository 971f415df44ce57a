"""Score tests of univariate Cox models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.decoders import linear_decoder
from ipcae.selectors.classical.base import Examples, Ranking, Scores


@dataclass(frozen=True)
class CoxScore(Ranking):
    """The score statistic of a Cox model with one feature, tested against no effect.

    At every event, the feature of the row is compared with the mean of the rows at risk; the
    statistic is the squared sum of the differences divided by its variance. Without ties, for a
    binary feature, it is that of the log-rank test.

    See Also
    --------
    ipcae.selectors.CoxElimination : Backward elimination with Cox models.
    ipcae.selectors.Anova : Univariate F-values.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import SurvivalSelector
    >>> from ipcae.selectors import CoxScore
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 8))
    >>> time = random.exponential(np.exp(-X[:, 3] - X[:, 7]))
    >>> y = np.column_stack([np.minimum(time, 2), time < 2])
    >>> selector = SurvivalSelector(2, method=CoxScore(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([3, 7])
    """

    needs = "times"
    random = False
    auto_decoder = linear_decoder()
    sized = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the statistics, asymptotically χ² with one degree of freedom. Shape: -> (D,)."""
        inputs = examples.inputs - examples.inputs.mean(0)
        weights, (time, event) = examples.row_weights, examples.targets.T
        order = np.argsort(-time, kind="stable")
        inputs, event, weights = inputs[order], event[order] > 0, weights[order]
        # The rows at risk are those up to the last with the same time.
        last = np.searchsorted(-time[order], -time[order], side="right") - 1
        n_at_risk = weights.cumsum()[last][event, None]
        mean = (weights[:, None] * inputs).cumsum(0)[last][event] / n_at_risk
        square = (weights[:, None] * inputs**2).cumsum(0)[last][event] / n_at_risk
        happened = weights[event, None]
        score = (happened * (inputs[event] - mean)).sum(0)
        variance = (happened * np.maximum(square - mean**2, 0)).sum(0)
        return np.divide(score**2, variance, out=np.zeros_like(score), where=variance > 1e-12)
