"""Conditions on a selection: included and excluded features, groups, limits, costs, a budget."""

from ipcae.constraints.constraints import Constraints
from ipcae.constraints.narrowing import among
from ipcae.constraints.reading import affordable, read_constraints, require_feasible

__all__ = ["Constraints", "affordable", "among", "read_constraints", "require_feasible"]
