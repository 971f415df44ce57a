"""Choose the best units subject to their number, limits and a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ipcae.arrays import Floats, Integers

if TYPE_CHECKING:
    from ipcae.constraints.constraints import Constraints

_HALVINGS = 60
POWERS = (0.5, 1.0, 2.0, 4.0, np.inf)
"""How fast the value of a unit falls with its rank, from many cheap units to few good ones."""


def take(
    constraints: Constraints, order: Integers, n_selected: int, power: float = POWERS[0]
) -> Integers:
    """Return the best of these units, which are sorted best first, in their order.

    Without a budget these are the first that the limits allow, until there are K units, including
    the included ones. With a budget, the unit of rank r has the value 1/r^power, and units with a
    large total value are chosen: see :func:`_within_budget`. If the power is infinite, no number of
    cheaper units replaces a better one, and units that do not fit are skipped.

    Values by rank work for all methods, regardless of the scale of their scores;
    benchmarks/budget.py compares them with the scores themselves and with
    taking units in their order.

    Shape: order (candidates,) -> (at most K,).
    """
    n_to_choose = constraints.n_to_choose(n_selected)
    if not constraints.binds(n_selected):
        return order[_allowed(constraints, order, n_to_choose)]
    if power == np.inf:
        return order[_allowed(constraints, order, n_to_choose, constraints.left)]
    values = np.arange(1.0, len(order) + 1.0) ** np.float64(-power)
    return order[_within_budget(constraints, order, values, n_to_choose)]


def complete(constraints: Constraints, order: Integers, n_first: int, n_selected: int) -> Integers:
    """Return the first units and others after them that fit, or the best of all if they do not.

    Shape: order (candidates,), the first units before the others -> (at most K,).
    """
    n_to_choose = constraints.n_to_choose(n_selected)
    chosen = order[_allowed(constraints, order, n_to_choose, constraints.left)]
    fits = np.array_equal(chosen[:n_first], order[:n_first])
    return chosen if fits else take(constraints, order, n_selected)


def _allowed(
    constraints: Constraints, order: Integers, most: int, left: float = np.inf
) -> Integers:
    """Return the positions of the first units that fit the number, the limits and the costs."""
    if not constraints.at_most and left == np.inf:
        return np.arange(len(order))[:most]
    used = constraints.used(constraints.included_units)
    chosen: list[int] = []
    for position, unit in enumerate(order.tolist()):
        limits, cost = constraints.limits_of[unit], constraints.cost_of_units[unit]
        if len(chosen) == most:
            break
        if cost > left or any(used[i] >= constraints.at_most[i][0] for i in limits):
            continue
        chosen.append(position)
        left -= cost
        for limit in limits:
            used[limit] += 1
    return np.array(chosen, dtype=np.int64)


def _within_budget(
    constraints: Constraints, order: Integers, values: Floats, most: int
) -> Integers:
    """Return positions of units with a large total value that the budget can pay for.

    A price λ turns values into profits, v − λ · cost. The units with the largest profits are taken
    for the smallest λ for which they fit into the budget, and what is left is spent on the best of
    the others that still fit. The total is at most one unit from the optimum.
    """
    costs, left = constraints.cost_of_units[order], constraints.left

    def at_price(price: float) -> Integers:
        profit = values - price * costs
        by_profit = np.argsort(-profit, kind="stable")
        worth = by_profit[profit[by_profit] > 0]
        return worth[_allowed(constraints, order[worth], most)]

    cheapest = max(costs[costs > 0].min(initial=np.inf), 1e-300)
    low, high = 0.0, float(values.max(initial=1.0) / cheapest)
    best = at_price(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        taken = at_price(middle)
        if costs[taken].sum() <= left:
            high, best = middle, taken
        else:
            low = middle
    rest = np.setdiff1d(np.arange(len(order)), best)
    both = np.concatenate([best, rest])
    return np.sort(both[_allowed(constraints, order[both], most, left)])
