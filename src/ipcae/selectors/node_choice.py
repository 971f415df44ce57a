"""The units that the nodes of a run choose within the constraints."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.selection import distinct_features, selection_probability

Indices = NDArray[np.int64]


def choose_units(
    logits: Tensor, constraints: Constraints, n_selected: int, unique: bool
) -> tuple[Indices, Indices]:
    """Return the units that the nodes choose, and the nodes that read them, in ascending order.

    Every node chooses the candidate with its largest logit, or the nodes choose different ones if
    ``unique``. If there is one more logit than candidates, it is for choosing nothing. Choices
    that violate limits or the budget are replaced by the most probable candidates that do not, and
    what is left of a budget is spent on further ones.

    Shape: logits (nodes, candidates) or (nodes, candidates + 1).

    >>> constraints = Constraints(3, costs=(5.0, 1.0, 2.0), budget=3.0)
    >>> logits = torch.tensor([[9.0, 1.0, 2.0], [9.0, 8.0, 0.0]])
    >>> choose_units(logits, Constraints(3), 2, unique=True)
    (array([0, 1]), array([0, 1]))
    """
    n_nodes, n_candidates = len(logits), len(constraints.candidates)
    # The logits of a diverged run may be NaN; its selection is not used.
    logits = torch.nan_to_num(logits).cpu()
    nothing = logits[:, n_candidates:]
    if unique:
        found = distinct_features(torch.cat([logits, *[nothing] * (n_nodes - 1)], -1)).numpy()
    else:
        found = logits.argmax(-1).numpy()
    nodes = np.flatnonzero(found < n_candidates)
    units = constraints.candidates[found[nodes]]
    if not (constraints.at_most or constraints.binds(n_selected)):
        return units, nodes
    probability = selection_probability(logits[None])[0, :n_candidates].numpy()
    best = constraints.completed(np.unique(units), probability, n_selected)
    kept = np.isin(units, best)
    units, nodes = units[kept], nodes[kept]
    added = np.setdiff1d(best, units)
    idle = np.setdiff1d(np.arange(n_nodes), nodes)
    columns = np.searchsorted(constraints.candidates, added)
    rows, order = linear_sum_assignment(logits[idle][:, columns].numpy(), maximize=True)
    units, nodes = np.append(units, added[order]), np.append(nodes, idle[rows])
    ascending = np.argsort(nodes)
    return units[ascending], nodes[ascending]
