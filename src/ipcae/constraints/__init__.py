"""Conditions on a selection: features that must or must not be selected."""

from ipcae.constraints.constraints import Constraints
from ipcae.constraints.reading import read_constraints, require_feasible

__all__ = ["Constraints", "read_constraints", "require_feasible"]
