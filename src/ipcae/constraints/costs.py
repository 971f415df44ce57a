"""Costs of columns and groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ipcae.constraints.columns import shown
from ipcae.constraints.groups import Groups
from ipcae.errors import InputError
from ipcae.text import count, listed

_EXPECTED = "expected a number for every column, or a dict of names to numbers"


def costs_of(
    given: Any, names: Sequence[str], groups: Groups, units: Sequence[tuple[int, ...]]
) -> tuple[float, ...]:
    """Return the cost of every unit; the cost of a group is the sum of its columns'.

    Costs are given for every column, in their order or by name; a dict may also have the cost of a
    group, by its name.

    >>> names, units = ["x", "y", "t"], [(0, 1), (2,)]
    >>> costs_of([1, 2, 5], names, {"position": (0, 1)}, units)
    (3.0, 5.0)
    >>> costs_of({"position": 4, "t": 5}, names, {"position": (0, 1)}, units)
    (4.0, 5.0)
    """
    if given is None:
        return ()
    if hasattr(given, "to_dict") and getattr(given, "ndim", 1) == 1:  # a Series
        named = given.to_dict()
        given = named if all(isinstance(key, str) for key in named) else given.to_numpy()
    if isinstance(given, Mapping):
        return _of_names(given, names, groups, units)
    if isinstance(given, str) or np.ndim(given) != 1 or len(given) != len(names):
        raise InputError(
            f"feature_costs={shown(given)} is not understood for {len(names)} columns: {_EXPECTED}."
        )
    costs = [_number(cost, name) for cost, name in zip(given, names, strict=True)]
    return tuple(sum(costs[column] for column in unit) for unit in units)


def _of_names(
    given: Mapping[Any, Any], names: Sequence[str], groups: Groups, units: Sequence[tuple[int, ...]]
) -> tuple[float, ...]:
    costs = {str(name): _number(cost, str(name)) for name, cost in given.items()}
    unknown = [name for name in costs if name not in groups and name not in set(names)]
    if unknown:
        raise InputError(
            f"feature_costs has names that are not columns ({listed(unknown)}): expected names of "
            "columns or groups."
        )
    of_group = {columns: costs[name] for name, columns in groups.items() if name in costs}
    missing = [
        names[column]
        for unit in units
        if unit not in of_group
        for column in unit
        if names[column] not in costs
    ]
    if missing:
        columns = count(len(missing), "column")
        raise InputError(
            f"feature_costs has no cost for {columns} ({listed(missing)}): expected "
            "one for every column, 0 if it is free."
        )
    return tuple(
        of_group[unit] if unit in of_group else sum(costs[names[column]] for column in unit)
        for unit in units
    )


def _number(cost: Any, name: str) -> float:
    if not isinstance(cost, Real) or isinstance(cost, bool) or not math.isfinite(cost) or cost < 0:
        raise InputError(
            f"The cost of {name} is {shown(cost)}: expected a number that is not negative."
        )
    return float(cost)


def budget_of(given: Any, costs: tuple[float, ...]) -> float | None:
    """Check the budget, the largest total cost."""
    if given is None:
        return None
    if not isinstance(given, Real) or isinstance(given, bool) or not float(given) >= 0:
        raise InputError(f"budget={shown(given)} is not understood: expected a positive number.")
    if not costs:
        raise InputError("budget was given without feature_costs: expected both.")
    return None if math.isinf(given) else float(given)
