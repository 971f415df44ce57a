"""The units that the nodes of a run choose within the constraints."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.selection import distinct_features, selection_probability


def choose_units(
    logits: Tensor, constraints: Constraints, n_selected: int, unique: bool
) -> Integers:
    """Return the units that the nodes choose, in addition to the included ones.

    Every node chooses the candidate with its largest logit, or the nodes choose different ones if
    ``unique``. If there is one more logit than candidates, it is for choosing nothing. Choices
    that violate limits or the budget are replaced by the most probable candidates that do not, and
    what is left of a budget is spent on further ones.

    Shape: logits (nodes, candidates) or (nodes, candidates + 1) -> (at most nodes,).

    >>> logits = torch.tensor([[9.0, 1.0, 2.0], [9.0, 8.0, 0.0]])
    >>> choose_units(logits, Constraints(3), 2, unique=True)
    array([0, 1])
    >>> choose_units(logits, Constraints(3, at_most=((1, (0, 1)),)), 2, unique=True)
    array([0, 2])
    """
    n_nodes, n_candidates = len(logits), len(constraints.candidates)
    if n_nodes == 0:
        return np.zeros(0, dtype=np.int64)
    # The logits of a diverged run may be NaN; its selection is not used.
    logits = torch.nan_to_num(logits).cpu()
    nothing = logits[:, n_candidates:]
    if unique:
        chosen = distinct_features(torch.cat([logits, *[nothing] * (n_nodes - 1)], -1)).numpy()
    else:
        chosen = logits.argmax(-1).numpy()
    units = constraints.candidates[chosen[chosen < n_candidates]]
    if not (constraints.at_most or constraints.binds(n_selected)):
        return units
    probability = selection_probability(logits[None])[0, :n_candidates].numpy()
    return constraints.completed(np.unique(units), probability, n_selected)
