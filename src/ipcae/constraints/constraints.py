"""The conditions that every selection of a fit satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.constraints.choosing import POWERS, complete, take
from ipcae.constraints.units import Units
from ipcae.constraints.violations import violation
from ipcae.errors import InputError

Scores = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Constraints:
    """Conditions on a selection.

    What is chosen is a *unit*: a group of columns, or a single column that is in no group. K counts
    units. Without groups, units are columns.

    Parameters
    ----------
    n_features : int
        Number of columns, D.
    included : tuple of int
        Columns that are always selected; they count toward K.
    excluded : tuple of int
        Columns that are never selected.
    avoided : tuple of int
        Columns that are selected only if there are not enough others, such as constant ones.
    groups : tuple of tuples of int
        Columns that are selected together or not at all.
    group_names : tuple of str
        Names of the groups.
    at_most : tuple of (int, tuple of int)
        Limits: at most this many units with any of these columns.
    costs : tuple of float
        The cost of every unit; empty if nothing has a cost.
    budget : float, optional
        The largest total cost. K is then the largest number of units.

    Examples
    --------
    >>> constraints = Constraints(6, included=(5,), excluded=(0,), groups=((1, 3),))
    >>> list(constraints.units)
    [(0,), (1, 3), (2,), (4,), (5,)]
    >>> constraints.candidates
    array([1, 2, 3])
    >>> constraints.require(np.array([5, 1, 3]), 2)
    >>> constraints.require(np.array([5, 1]), 2)
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: The selection [1, 5] has only some of the columns of a group.
    """

    n_features: int
    included: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    avoided: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    group_names: tuple[str, ...] = ()
    at_most: tuple[tuple[int, tuple[int, ...]], ...] = ()
    costs: tuple[float, ...] = ()
    budget: float | None = None

    # Units.

    @cached_property
    def units(self) -> Units:
        """The columns of every unit, in the order of their first columns."""
        return Units(self.n_features, self.groups)

    @property
    def unit_of(self) -> Integers:
        """The unit of every column, of shape (D,)."""
        return self.units.of_column

    @cached_property
    def width(self) -> int:
        """The number of columns of the largest unit that may be selected."""
        units = np.concatenate([self.included_units, self.candidates])
        return int(self.units.sizes[units].max(initial=1))

    @cached_property
    def included_units(self) -> Integers:
        """The units that are always selected."""
        return np.unique(self.unit_of[list(self.included)])

    @cached_property
    def candidates(self) -> Integers:
        """The units to choose from: neither included nor excluded, and not too expensive."""
        free = np.ones(len(self.units), dtype=bool)
        free[self.unit_of[list(self.included + self.excluded)]] = False
        units = np.flatnonzero(free)
        return units if self.budget is None else units[self.cost_of_units[units] <= self.left]

    @cached_property
    def preferred(self) -> Integers:
        """The candidates with a column that is not avoided."""
        return self.candidates[~self._is_avoided[self.candidates]]

    @cached_property
    def _is_avoided(self) -> Booleans:
        """Whether all columns of a unit are avoided, of shape (units,)."""
        is_avoided = np.ones(len(self.units), dtype=bool)
        others = np.ones(self.n_features, dtype=bool)
        others[list(self.avoided)] = False
        is_avoided[self.unit_of[others]] = False
        return is_avoided

    @property
    def restricts(self) -> bool:
        """Whether there are groups, or units that cannot be chosen."""
        return bool(self.groups) or len(self.candidates) < len(self.units)

    def n_to_choose(self, n_selected: int) -> int:
        """Return the number of units to choose, in addition to the included ones."""
        return n_selected - len(self.included_units)

    def selected_groups(self, features: Integers) -> list[str]:
        """Return the names of the groups of several columns in a selection."""
        selected = set(np.asarray(features).tolist())
        groups = zip(self.group_names, self.groups, strict=False)
        return [name for name, group in groups if len(group) > 1 and selected.issuperset(group)]

    # Costs.

    @cached_property
    def cost_of_units(self) -> Floats:
        """The cost of every unit, 0 if nothing has a cost."""
        return np.array(self.costs) if self.costs else np.zeros(len(self.units))

    def cost(self, features: Integers) -> float:
        """Return the total cost of a selection."""
        return float(self.cost_of_units[np.unique(self.unit_of[features])].sum())

    @cached_property
    def left(self) -> float:
        """What is left of the budget after the included units, with a margin for rounding."""
        if self.budget is None:
            return float("inf")
        paid = self.cost_of_units[self.included_units].sum()
        return float(self.budget - paid) + 1e-9 * max(self.budget, 1.0)

    def binds(self, n_selected: int) -> bool:
        """Return whether some selection of K units costs more than the budget."""
        if self.budget is None:
            return False
        costs = np.sort(self.cost_of_units[self.candidates])[::-1]
        n_to_choose = self.n_to_choose(n_selected)
        return len(costs) < n_to_choose or bool(costs[:n_to_choose].sum() > self.left)

    def columns(self, units: Any) -> Integers:
        """Return the columns of these units, one unit after the other."""
        return self.units.columns(units)

    def first_columns(self, units: Any) -> Integers:
        """Return the first column of each of these units."""
        return self.units.first[np.asarray(units, dtype=np.int64)]

    def most_columns(self, n_selected: int) -> int:
        """Return the largest number of columns of a selection of K units.

        >>> Constraints(6, included=(5,), groups=((0, 1, 2),)).most_columns(2)
        4
        """
        sizes = np.sort(self.units.sizes[self.candidates])[::-1]
        return len(self.included) + int(sizes[: self.n_to_choose(n_selected)].sum())

    def slots(self, units: Any) -> Integers:
        """Return the columns of these units, padded with D. Shape: -> (units, width)."""
        return self.units.slots(units, self.width)

    # Limits.

    @cached_property
    def limits_of(self) -> list[list[int]]:
        """The limits of at_most that apply to every unit, by their positions."""
        limits_of: list[list[int]] = [[] for _ in self.units]
        for limit, (_, columns) in enumerate(self.at_most):
            for unit in np.unique(self.unit_of[list(columns)]):
                limits_of[unit].append(limit)
        return limits_of

    def used(self, units: Any) -> list[int]:
        """Return how many of these units count toward each limit."""
        used = [0] * len(self.at_most)
        for unit in units:
            for limit in self.limits_of[unit]:
                used[limit] += 1
        return used

    def fitting(self, units: Any) -> Integers:
        """Return the preferred candidates that may be added to these units, in their order.

        >>> costs = (3.0, 1.0, 1.0, 1.0)
        >>> Constraints(4, at_most=((1, (1, 2)),), costs=costs, budget=3.0).fitting([1])
        array([3])
        """
        units, used = np.array(units, dtype=np.int64), self.used(units)
        full = [own for (most, own), n in zip(self.at_most, used, strict=True) if n >= most]
        taken = np.concatenate([units, *(self.unit_of[list(own)] for own in full)])
        others = np.setdiff1d(self.preferred, taken)
        paid = self.cost_of_units[np.setdiff1d(units, self.included_units)].sum()
        return others[self.cost_of_units[others] <= self.left - paid]

    # Choosing.

    def best(self, scores: Scores, n_selected: int) -> Integers:
        """Return the included units and the best others: K in total, fewer within a budget.

        Units are ordered by their scores, and ties by their positions; see
        :func:`ipcae.constraints.choosing.take`. Shape: scores (units,) -> (K,).

        >>> Constraints(4, included=(3,), excluded=(0,)).best(np.array([9, 1, 2, 0]), 2)
        array([3, 2])
        """
        return self.choices(scores, n_selected, POWERS[:1])[0]

    def choices(
        self, scores: Scores, n_selected: int, powers: Sequence[float] = POWERS
    ) -> list[Integers]:
        """Return the different choices for these powers, of which :meth:`best` is the first.

        They differ only if a budget has to be spent on few good units or on many cheap ones.

        >>> costs = Constraints(5, costs=(3.0, 1.0, 1.0, 1.0, 1.0), budget=3.0)
        >>> costs.choices(np.arange(5, 0, -1.0), 3)
        [array([1, 2, 3]), array([0])]
        """
        order = self._ordered(scores[self.candidates], n_selected)
        chosen = [take(self, order, n_selected, power) for power in powers]
        different = {tuple(units.tolist()): units for units in chosen}
        return [np.concatenate([self.included_units, units]) for units in different.values()]

    def completed(self, units: Integers, scores: Scores, n_selected: int) -> Integers:
        """Return these units and the best others that fit, or the best of all if they do not fit.

        Shape: units (n,), not the included ones; scores (candidates,) -> (at most K - included,).
        """
        order = self._ordered(scores, n_selected)
        first = np.isin(order, units)
        order = np.concatenate([order[first], order[~first]])
        return complete(self, order, len(units), n_selected)

    def with_others(self, units: Any, scores: Scores, n_selected: int) -> Integers:
        """Return the included units, these and the best others that fit, as :meth:`completed` does.

        Shape: units (n,); scores (units,) -> (at most K,).
        """
        chosen = np.setdiff1d(units, self.included_units)
        others = self.completed(chosen, scores[self.candidates], n_selected)
        return np.concatenate([self.included_units, others])

    def _ordered(self, scores: Scores, n_selected: int) -> Integers:
        """Return the candidates by their scores, avoided ones last, or not if K is a maximum."""
        avoided = self._is_avoided[self.candidates]
        order = np.lexsort((-scores, avoided))
        if self.binds(n_selected) and not avoided.all():
            order = order[~avoided[order]]
        return self.candidates[order]

    def probability(self, probability: Any) -> Any:
        """Return the probabilities with 1 for included columns and 0 for those left out."""
        if not self.restricts:
            return probability
        probability = probability.copy()
        if len(self.candidates) < len(self.units):
            possible = np.zeros(len(self.units), dtype=bool)
            possible[self.candidates] = True
            probability[~possible[self.unit_of]] = 0
        probability[list(self.included)] = 1
        return probability

    def require(self, features: Integers, n_selected: int) -> None:
        """Raise an error if a selection violates a constraint."""
        found = violation(self, features, n_selected)
        if found:
            shown = np.unique(features).tolist()
            raise InputError(f"The selection {shown} {found}.")
