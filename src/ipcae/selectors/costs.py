"""Soft penalties on features, converted to the units that a method chooses from."""

from __future__ import annotations

from dataclasses import replace

from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.regularizers import FeatureCosts


def candidate_costs(costs: FeatureCosts, given: Constraints, n_selected: int) -> FeatureCosts:
    """Return the costs of the candidates; within a budget, nothing follows them and is free.

    >>> given = Constraints(4, included=(0,), excluded=(2,))
    >>> candidate_costs(FeatureCosts((0.1, 0.2, 0.3, 0.4)), given, n_selected=2).costs
    (0.2, 0.4)
    """
    if len(costs.costs) != given.n_features:
        raise InputError(
            f"There are {len(costs.costs)} costs for {given.n_features} features: expected one "
            "for each."
        )
    of_units = costs.of_units(given.slots(given.candidates))
    return replace(of_units, costs=(*of_units.costs, 0.0)) if given.binds(n_selected) else of_units
