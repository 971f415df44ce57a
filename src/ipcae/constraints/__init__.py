"""Conditions on a selection: included and excluded features, groups, limits, costs, a budget.

In reading order: ``constraints`` has the conditions on the ``units`` of a selection, and
``reading`` turns the arguments of an estimator into them: ``columns``, ``groups``, ``limits`` and
``costs``. ``choosing`` chooses the best units that satisfy them, ``violations`` checks a selection,
and ``narrowing`` restricts them to some of the columns.
"""

from ipcae.constraints.constraints import Constraints
from ipcae.constraints.narrowing import among
from ipcae.constraints.reading import affordable, read_constraints, require_feasible

__all__ = ["Constraints", "affordable", "among", "read_constraints", "require_feasible"]
