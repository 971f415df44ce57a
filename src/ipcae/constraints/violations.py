"""Find the constraint that a selection violates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ipcae.arrays import Integers

if TYPE_CHECKING:
    from ipcae.constraints.constraints import Constraints


def violation(constraints: Constraints, features: Integers, n_selected: int) -> str | None:
    """Return the end of a sentence about a violated constraint, or None if there is none.

    >>> from ipcae.constraints import Constraints
    >>> violation(Constraints(4, excluded=(0,)), np.array([0, 1]), 2)
    'contains excluded columns'
    """
    selected = np.unique(features)
    if np.intersect1d(selected, constraints.excluded).size:
        return "contains excluded columns"
    if np.setdiff1d(constraints.included, selected).size:
        return "lacks included columns"
    units = np.unique(constraints.unit_of[selected])
    if len(constraints.columns(units)) != len(selected):
        return "has only some of the columns of a group"
    if len(units) > n_selected:
        return f"has more than {n_selected} features"
    budget, cost = constraints.budget, constraints.cost(features)
    if budget is not None and cost > budget + 1e-6 * abs(budget):
        return f"costs {cost:g}, more than the budget of {budget:g}"
    if any(
        n > most for n, (most, _) in zip(constraints.used(units), constraints.at_most, strict=True)
    ):
        return "has more features of a kind than at_most allows"
    return None
