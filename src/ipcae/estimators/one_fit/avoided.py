"""Columns that are selected only if there are not enough others: constant columns and copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import warn
from ipcae.estimators.one_fit.table import Table
from ipcae.tables.copies import copies
from ipcae.text import listed


def avoid_constant_columns(table: Table, inputs: Tensor) -> Constraints:
    """Let constant columns be selected only if there are not enough others; warn about them."""
    n_selected = table.n_selected
    constant = (inputs.amin(0) == inputs.amax(0)).nonzero().flatten().tolist()
    avoiding = replace(table.constraints, avoided=tuple(constant))
    avoided = np.setdiff1d(avoiding.candidates, avoiding.preferred)
    if not len(avoided):
        return avoiding
    constant = avoiding.columns(avoided).tolist()
    labels = [str(c) if table.names is None else table.names[c] for c in constant]
    n_varying = len(avoiding.included_units) + len(avoiding.preferred)
    are, they = ("is", "it") if len(constant) == 1 else ("are", "they")
    outcome = f"{they} will not be selected."
    if n_selected > n_varying:
        outcome = (
            f"{n_selected - n_varying} of them had to be selected, since only {n_varying} columns "
            "vary."
        )
    warn(
        f"{len(constant):,} of {inputs.shape[1]:,} columns {are} constant in the training rows "
        f"({listed(labels)}): {outcome}"
    )
    return avoiding


def avoid_copies(inputs: Tensor, constraints: Constraints) -> Constraints:
    """Let all but one of the columns that are copies of each other be avoided.

    The one that stays is an included column if there is one, otherwise the cheapest that may be
    selected, alone rather than in a group, and the first of several.
    """
    included, excluded = set(constraints.included), set(constraints.excluded)

    def order(column: int) -> tuple[float, ...]:
        unit = constraints.unit_of[column]
        cost, size = constraints.cost_of_units[unit], constraints.units.sizes[unit]
        return column not in included, column in excluded, cost, size, column

    others = [sorted(group, key=order)[1:] for group in copies(inputs)]
    avoided = {*constraints.avoided, *(column for group in others for column in group)}
    return replace(constraints, avoided=tuple(sorted(avoided)))
