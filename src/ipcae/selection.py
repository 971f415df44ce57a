"""The selected features of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ipcae.arrays import Booleans, Integers
from ipcae.constraints import Constraints
from ipcae.errors import InputError


def unique_percentage(features: Tensor, nodes: Tensor | None = None) -> Tensor:
    """Return 100 · (number of distinct features) / K for every run, UP in the paper.

    ``nodes`` is 1 for the nodes to count, the first of a run among them; by default all.

    Shape: features (R, K), integers; nodes (R, K) -> (R,).

    >>> unique_percentage(torch.tensor([[3, 1, 3, 3], [0, 1, 2, 3]]))
    tensor([ 50., 100.])
    """
    if nodes is not None:
        counted = torch.where(nodes != 0, features, features[:, :1])
        return unique_percentage(counted) * features.shape[-1] / nodes.sum(-1).clamp(min=1)
    ordered = features.sort(dim=-1).values
    different = 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(-1)
    return 100.0 * different / features.shape[-1]


def distinct_features(logits: Tensor) -> Tensor:
    """Assign distinct features to the nodes, with the largest sum of logits.

    The optimal assignment considers only the K features with the largest logits of each node,
    because the other K − 1 nodes cannot use all of them.

    Shape: logits (K, D), D ≥ K -> (K,), integers, all different.

    >>> distinct_features(torch.tensor([[9.0, 8.0, 0.0], [9.0, 1.0, 0.0]]))
    tensor([1, 0])
    """
    n_nodes, n_features = logits.shape
    if n_nodes > n_features:
        raise InputError(f"Cannot choose {n_nodes} different features among {n_features}.")
    candidates = logits.topk(n_nodes, dim=-1).indices.unique()
    scores = logits[:, candidates].double().cpu().numpy()
    _, columns = linear_sum_assignment(scores, maximize=True)
    return candidates.cpu()[torch.as_tensor(columns)]


def selection_probability(logits: Tensor, nodes: Tensor | None = None) -> Tensor:
    """Return the probability of each feature that at least one node of a run draws it.

    1 − Π_i (1 − p_id) over the nodes i, where p_i = softmax(log α_i). ``nodes`` is 1 for the nodes
    to include, by default all.

    Shape: logits (R, K, D); nodes (R, K) -> (R, D).

    >>> selection_probability(torch.zeros(1, 1, 4))
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """
    # Clamp to keep log(1 − p) finite.
    p = torch.softmax(logits, dim=-1).clamp(max=1 - 1e-7)
    missed = torch.log1p(-p)
    if nodes is not None:
        missed = missed * nodes.unsqueeze(-1)
    return -torch.expm1(missed.sum(1))


@dataclass(frozen=True)
class Selection:
    """The selection of one run.

    K is the number of features of this run.

    Attributes
    ----------
    chosen : array of shape (K,)
        Feature with the largest logit of every node; it may contain duplicates. Methods without
        nodes store their features here, too. A group is represented by its first column.
    features : array of shape (K,)
        The selected features, in the order of the inputs of the decoder; more than K columns if
        groups are selected.
    probability : array of shape (D,)
        Probability that at least one node draws the feature; for methods without nodes, a score
        from 0 to 1.
    measure : str
        Which of these it is: "probability" or "score".
    """

    chosen: Integers
    features: Integers
    probability: NDArray[np.float32]
    measure: str = "probability"

    @classmethod
    def of(cls, features: Integers, n_features: int) -> Selection:
        """Return the selection of given features, each with probability 1."""
        probability = np.zeros(n_features, dtype=np.float32)
        probability[features] = 1.0
        return cls(features, features, probability)

    @classmethod
    def of_units(
        cls,
        constraints: Constraints,
        units: Integers,
        strength: NDArray[Any],
        measure: str = "probability",
    ) -> Selection:
        """Return the selection of some units of the constraints.

        Shape: units (K,); strength (units,), from 0 to 1, of all units.
        """
        return cls(
            chosen=constraints.first_columns(units),
            features=constraints.columns(units),
            probability=constraints.probability(strength[constraints.unit_of]).astype(np.float32),
            measure=measure,
        )

    @property
    def unique_percentage(self) -> float:
        """Percentage of distinct features in ``chosen``."""
        return float(unique_percentage(torch.as_tensor(self.chosen)[None])[0])

    def support(self) -> Booleans:
        """Return a boolean mask of the selected features, of shape (D,)."""
        mask = np.zeros(len(self.probability), dtype=bool)
        mask[self.features] = True
        return mask
