"""F-values, discounted for the correlation with features that are better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.ridge import standardized
from ipcae.selectors.classical.anova import Anova
from ipcae.selectors.classical.base import Examples, Ranking, Scores

_TINY = 1e-300


@dataclass(frozen=True)
class Nonredundant(Ranking):
    """Repeatedly select the feature with the largest F (1 − r²).

    F is the F-value of the feature, and r its correlation with the selected feature that it is
    correlated with most. This is a variant of mRMR (Ding and Peng, 2005), which divides F by the
    mean correlation with the selected features.

    See Also
    --------
    ipcae.selectors.Adaptive : Compares it with other rankings for numeric targets.
    ipcae.selectors.Anova : F-values alone.

    Examples
    --------
    The third column is nearly a copy of the first:

    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 3))
    >>> X[:, 2] = X[:, 0] + 0.01 * random.normal(size=200)
    >>> examples = Examples(X, X[:, [0]] + 0.5 * X[:, [1]], discrete=False)
    >>> Nonredundant().scores(examples, n_selected=2, seed=0).round(2)
    array([2. , 1. , 0.5])
    """

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return K for the feature selected first, then less, and at most ½ for others.

        One column of a unit is selected. Shape: -> (D,).
        """
        relevance = Anova().scores(examples, n_selected, seed)
        columns = standardized(examples.inputs) / np.sqrt(len(examples.inputs))
        scores, units = relevance / max(relevance.max(), _TINY) / 2, examples.unit_of
        left, redundancy = np.ones(len(scores), dtype=bool), np.zeros(len(scores))
        for place in range(min(n_selected, examples.n_units(left)), 0, -1):
            best = int(np.argmax(np.where(left, relevance * (1 - redundancy), -1)))
            scores[best] = place
            left[units == units[best]] = False
            shared = np.square(columns[:, best] @ columns)
            redundancy = np.maximum(redundancy, np.minimum(shared, 1))
        return scores
