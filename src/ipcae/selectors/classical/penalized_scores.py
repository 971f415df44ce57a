"""Score features again, so that similar ones replace those that costs or limits rule out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ipcae.arrays import Booleans, Integers
from ipcae.constraints import Constraints
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


def limited_scores(
    scores_of: Callable[[Booleans], Scores],
    scores: Scores,
    columns: Integers,
    constraints: Constraints,
    n_selected: int,
) -> Scores:
    """Return the scores of the others once columns that limits keep out of the best are gone.

    The scores of copies of such a column no longer depend on it.

    Shape: scores (F,) of the columns (F,) -> (F,). ``scores_of`` returns the scores of some of
    them, 0 for the others.

    >>> def of_pairs(kept):  # the second column of a pair adds nothing to the first
    ...     kept = kept.reshape(-1, 2)
    ...     return (np.array([[4.0, 4.0], [3.0, 3.0]]) * kept * [1, 0.1] ** kept[:, :1]).ravel()
    >>> given = Constraints(4, at_most=((1, (0, 2)),))
    >>> limited_scores(of_pairs, of_pairs(np.ones(4)), np.arange(4), given, n_selected=2)
    array([4. , 0.4, 0. , 3. ])
    """
    kept = np.ones(len(columns), dtype=bool)
    unit_of, every = constraints.unit_of[columns], np.zeros(constraints.n_features)
    without = replace(constraints, at_most=())
    for _ in range(_ROUNDS):
        every[columns] = scores
        of_units = constraints.units.largest(every)
        best, allowed = (each.best(of_units, n_selected) for each in (without, constraints))
        lost = np.isin(unit_of, np.setdiff1d(best, allowed)) & kept
        if not lost.any():
            break
        kept &= ~lost
        scores = scores_of(kept)
    return scores
