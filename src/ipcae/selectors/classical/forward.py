"""Forward selection of columns by ridge regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import weighted

_TINY = 1e-12
_REPEATED = 1e-3  # a column of which less is left repeats those that were added


@dataclass(frozen=True)
class Forward(Ranking):
    """Repeatedly add the feature that most reduces the loss of a ridge regression.

    All weights are fitted again with every feature. If a few of many independent columns have
    strong effects, this finds those that the strongest ones hide: a univariate test sees the
    effects of the others as noise, and so does the elimination, whose penalty is large then.

    Parameters
    ----------
    ridge : float, default=0.05
        Penalty, relative to the sum of squares of a column.

    See Also
    --------
    ipcae.selectors.Adaptive : Compares it with other rankings.
    ipcae.selectors.Backward : The reverse.

    Examples
    --------
    The third column matters only beside the others:

    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> X[:, 2] = X[:, 0] - X[:, 1] + 0.1 * X[:, 2]
    >>> examples = Examples(X, X[:, [0]] + 0.8 * X[:, [1]], discrete=False)
    >>> Forward().scores(examples, n_selected=2, seed=0)[:2]
    array([2., 1.])
    """

    ridge: float = 0.05

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return K for the feature added first, then less, and at most ½ for others.

        One column of a unit is added. Shape: -> (D,).
        """
        inputs, targets = weighted(examples.standardized(), balance=0.5)
        n_rows, n_columns = inputs.shape
        penalty = self.ridge * n_rows
        lengths = np.square(inputs).sum(0) + penalty
        smallest, products = penalty + _REPEATED * lengths, inputs.T @ targets
        units = examples.unit_of
        scores, left = np.zeros(n_columns), np.ones(n_columns, dtype=bool)
        directions = np.zeros((0, n_columns))

        def gains() -> Scores:
            usable = left & (lengths > smallest)
            return np.where(usable, np.square(products).sum(1) / np.maximum(lengths, _TINY), 0)

        for place in range(min(n_selected, examples.n_units(left), n_rows), 0, -1):
            gain = gains()
            best = int(gain.argmax())
            if gain[best] <= _TINY * n_rows:
                break
            shared = inputs.T @ inputs[:, best] - directions.T @ directions[:, best]
            shared[best] += penalty
            direction = shared / np.sqrt(shared[best])
            products = products - np.outer(direction, products[best] / direction[best])
            lengths = lengths - np.square(direction)
            directions = np.vstack([directions, direction])
            scores[best] = place
            left[units == units[best]] = False
        rest = gains()
        return scores + rest / max(rest.max(initial=0.0), _TINY) / 2
