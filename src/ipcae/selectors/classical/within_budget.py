"""Choose features within a budget: few expensive ones, or many cheap ones."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.selectors.classical.examples import Examples, Scores
from ipcae.selectors.classical.models.held_out import errors_of_columns


def best_within_budget(
    constraints: Constraints, scores: Scores, n_selected: int, examples: Examples
) -> Integers:
    """Return the units that predict held-out rows best, of several choices within the budget.

    The choices differ in how much more a unit of a high rank is worth than others
    (:meth:`Constraints.choices`): whether one good feature is better than several cheap ones
    depends on the table (benchmarks/budget.py). Shape: scores (units,) -> (at most K,).
    """
    choices = constraints.choices(scores, n_selected)
    columns = [constraints.columns(units) for units in choices]
    if len(choices) == 1 or min(map(len, columns)) == 0:
        return choices[0]
    errors = errors_of_columns(examples, columns)
    return choices[int(np.argmin([each.mean() for each in errors]))]
