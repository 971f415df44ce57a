"""Turn the arguments of an estimator into constraints, and reject infeasible ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ipcae.constraints.columns import columns_of
from ipcae.constraints.constraints import Constraints
from ipcae.constraints.costs import budget_of, costs_of
from ipcae.constraints.groups import groups_of
from ipcae.constraints.limits import limits_of
from ipcae.errors import InputError
from ipcae.text import count, listed


def read_constraints(
    names: Sequence[str],
    include: Any = None,
    exclude: Any = None,
    feature_groups: Any = None,
    at_most: Any = None,
    feature_costs: Any = None,
    budget: Any = None,
) -> Constraints:
    """Resolve the arguments against the names of the columns.

    >>> constraints = read_constraints(["age", "MT-CO1", "MT-ND2"], include="age", exclude="^MT-")
    >>> constraints.included, constraints.excluded
    ((0,), (1, 2))
    """
    groups = groups_of(feature_groups, names)
    included = columns_of(include, names, "include", groups)
    excluded = columns_of(exclude, names, "exclude", groups)
    both = [names[column] for column in sorted(set(included) & set(excluded))]
    if both:
        raise InputError(
            f"{count(len(both), 'feature')} {'is' if len(both) == 1 else 'are'} both included and "
            f"excluded ({listed(both)}): remove {'it' if len(both) == 1 else 'them'} from one of "
            "the two."
        )
    if len(excluded) == len(names):
        raise InputError("exclude leaves no features to select: exclude fewer.")
    constraints = Constraints(
        n_features=len(names),
        included=tuple(included),
        excluded=tuple(excluded),
        groups=tuple(groups.values()),
        group_names=tuple(groups),
        at_most=limits_of(at_most, names, groups),
    )
    costs = costs_of(feature_costs, names, groups, constraints.units)
    return replace(constraints, costs=costs, budget=budget_of(budget, costs))


def require_feasible(
    constraints: Constraints, n_selected: int, names: Sequence[str] | None = None
) -> None:
    """Raise an error if no selection of K features satisfies the constraints."""
    names = names or list(map(str, range(constraints.n_features)))
    n_included = len(constraints.included_units)
    noun = "group" if constraints.groups else "feature"
    if n_included > n_selected:
        raise InputError(
            f"include has {count(n_included, noun)}, more than the {n_selected} to select: "
            f"include fewer, or select at least {n_included}."
        )
    without_budget = replace(constraints, budget=None)
    left, total = n_included + len(without_budget.candidates), len(constraints.units)
    if n_selected > left:
        reason = f"exclude leaves only {left} of {total}" if left < total else f"there are {total}"
        raise InputError(
            f"{n_selected} {noun}s are to be selected, but {reason}: select at most {left}."
        )
    _require_within_limits(constraints, without_budget, n_selected, names)
    _require_affordable(constraints, names)


def _require_within_limits(
    constraints: Constraints, without_budget: Constraints, n_selected: int, names: Sequence[str]
) -> None:
    used = constraints.used(constraints.included_units)
    for (most, columns), n in zip(constraints.at_most, used, strict=True):
        if n > most:
            label = listed([names[column] for column in columns], 3)
            raise InputError(
                f"include has {n} of the features of which at most {most} may be selected "
                f"({label}): include fewer."
            )
    if max(map(len, constraints.limits_of), default=0) > 1 or constraints.budget is not None:
        return  # limits overlap, or K is a maximum: fewer features may be selected
    most = len(without_budget.best(np.zeros(len(constraints.units)), n_selected))
    if most < n_selected:
        raise InputError(
            f"{n_selected} features are to be selected, but at_most allows only {most}: select "
            f"at most {most}."
        )


def _require_affordable(constraints: Constraints, names: Sequence[str]) -> None:
    budget, costs = constraints.budget, constraints.cost_of_units
    if budget is None:
        return
    paid = costs[constraints.included_units].sum()
    if constraints.left < 0:
        raise InputError(
            f"The included features cost {paid:g}, more than the budget of {budget:g}: include "
            "fewer, or increase the budget."
        )
    if not len(constraints.included_units) and not len(constraints.candidates):
        allowed = replace(constraints, budget=None).candidates
        cheapest = allowed[np.argmin(costs[allowed])]
        name = names[constraints.units[cheapest][0]]
        raise InputError(
            f"No feature is within the budget of {budget:g}: the cheapest, {name}, costs "
            f"{costs[cheapest]:g}."
        )


def affordable(constraints: Constraints) -> int:
    """Return the largest number of units within the budget, the included ones among them.

    >>> affordable(Constraints(4, included=(3,), costs=(1.0, 2.0, 3.0, 1.0), budget=4.5))
    3
    """
    costs = np.sort(constraints.cost_of_units[constraints.candidates])
    n_others = int(np.searchsorted(np.cumsum(costs), constraints.left, side="right"))
    return len(constraints.included_units) + n_others
