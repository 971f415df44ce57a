"""Lower the scores of costly features, so that others with the same information are preferred."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipcae.arrays import Booleans, Integers
from ipcae.selectors.classical.examples import Scores

_ROUNDS = 5  # of scoring again without features that lost their place


def penalized_scores(
    scores_of: Callable[[Booleans], Scores],
    factors: Scores | None,
    n_columns: int,
    n_selected: int,
) -> Scores:
    """Return scores times factors; columns that drop out of the best by this get 0.

    Shape: factors (D,) -> (D,). ``scores_of`` returns the scores of some columns, 0 for the others.

    >>> def of_pairs(kept):  # the second column of a pair adds nothing to the first
    ...     kept = kept.reshape(-1, 2)
    ...     return (np.array([[4.0, 4.0], [1.0, 1.0]]) * kept * [1, 0.1] ** kept[:, :1]).ravel()
    >>> penalized_scores(of_pairs, np.array([0.01, 1.0, 1.0, 1.0]), 4, n_selected=2)
    array([0. , 4. , 1. , 0.1])
    """
    kept = np.ones(n_columns, dtype=bool)
    scores = scores_of(kept)
    if factors is None:
        return scores

    def best(values: Scores) -> Integers:
        return np.argsort(-values, kind="stable")[:n_selected]

    for _ in range(_ROUNDS):
        lost = np.setdiff1d(best(scores), best(scores * factors))
        lost = lost[factors[lost] < 1]
        if not len(lost) or kept.sum() - len(lost) < n_selected:
            break
        kept[lost] = False
        scores = scores_of(kept)
    return scores * factors
