"""Penalties on the selection, added to the training loss."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.ops import gjsd

_PER_COST = 5.0  # a feature of cost 1 must have a score 150 times as large as one of cost 0


@dataclass(frozen=True)
class Gjsd:
    """Encourage diversity by subtracting weight · GJSD of the nodes' distributions from the loss.

    Parameters
    ----------
    weight : float or tuple of float, default=0.005
        λ: one value for all runs, or one per run.

    See Also
    --------
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.

    Examples
    --------
    >>> Gjsd(weight=0.05).penalty(torch.zeros(1, 3, 5)).item()
    -0.0
    """

    weight: float | tuple[float, ...] = 0.005

    def penalty(self, logits: Tensor, nodes: Tensor | None = None) -> Tensor:
        """Return the penalty for weight 1. Shape: logits (R, K, D); nodes (R, K) -> (R,)."""
        return -gjsd(logits, nodes)


@dataclass(frozen=True)
class FeatureCosts:
    """Soft penalties on features: those of high cost are selected only if they are much better.

    With a concrete method, weight · the mean cost of the features that the nodes select is added to
    the loss; the cost of a node is the mean over its distribution. With a ranking, the score of a
    feature is multiplied by exp(−5 · weight · cost) (:attr:`factors`).

    Parameters
    ----------
    costs : tuple of float
        The cost of every feature, such as 0 to 1.
    weight : float or tuple of float, default=1.0
        λ: one value for all runs, or one per run.

    See Also
    --------
    Gjsd : A penalty that keeps nodes apart.
    sc.expression_costs : Costs of genes that are hard to measure.

    Examples
    --------
    >>> FeatureCosts((0.0, 1.0)).penalty(torch.zeros(1, 3, 2)).item()
    0.5
    """

    costs: tuple[float, ...] = field(repr=False)
    weight: float | tuple[float, ...] = 1.0

    def penalty(self, logits: Tensor, nodes: Tensor | None = None) -> Tensor:
        """Return the penalty for weight 1. Shape: logits (R, K, D); nodes (R, K) -> (R,)."""
        self._require(logits.shape[-1])
        costs = _on_device(self.costs, logits.device)
        # Not a matrix product, whose rounding may depend on the number of runs.
        of_nodes = (torch.softmax(logits, dim=-1) * costs).sum(-1)
        if nodes is None:
            return of_nodes.mean(-1)
        return (of_nodes * nodes).sum(-1) / nodes.sum(-1).clamp(min=1)

    def mean(self, probability: Tensor, counts: Tensor) -> Tensor:
        """Return the mean cost of K features that are drawn with these probabilities.

        Shape: probability (R, D); counts (R,), the sums of the probabilities -> (R,).
        """
        costs = _on_device(self.costs, probability.device)
        return (probability * costs).sum(-1) / counts.clamp(min=1)

    def among(self, columns: Integers | slice) -> FeatureCosts:
        """Return the costs of some of the features, in this order."""
        return replace(self, costs=tuple(np.asarray(self.costs)[columns].tolist()))

    def of_units(self, slots: Integers) -> FeatureCosts:
        """Return the mean costs of columns and groups of columns.

        Shape: slots (U, S), the columns of every unit, padded with D.

        >>> FeatureCosts((0.0, 0.5, 1.0)).of_units(np.array([[2, 3], [0, 1]])).costs
        (1.0, 0.25)
        """
        known = slots < len(self.costs)
        costs = np.append(self.costs, 0.0)[slots]
        return replace(self, costs=tuple((costs.sum(1) / known.sum(1)).tolist()))

    def of_candidates(self, given: Constraints, n_selected: int) -> FeatureCosts:
        """Return the costs of the candidates; within a budget, nothing follows them and is free.

        >>> given = Constraints(4, included=(0,), excluded=(2,))
        >>> FeatureCosts((0.1, 0.2, 0.3, 0.4)).of_candidates(given, n_selected=2).costs
        (0.2, 0.4)
        """
        self._require(given.n_features)
        costs = self.of_units(given.slots(given.candidates))
        return replace(costs, costs=(*costs.costs, 0.0)) if given.binds(n_selected) else costs

    def _require(self, n_features: int) -> None:
        """Raise an error unless there are costs of this many features."""
        if len(self.costs) != n_features:
            raise InputError(
                f"There are {len(self.costs)} costs for {n_features} features: expected one for "
                "each."
            )

    @property
    def factors(self) -> Floats:
        """By what the scores of the features are multiplied: exp(−5 · weight · cost). Shape: (D,).

        >>> FeatureCosts((0.0, 0.1, 1.0)).factors.round(3)
        array([1.   , 0.607, 0.007])
        """
        if isinstance(self.weight, tuple):
            raise InputError(
                f"weight={self.weight} of FeatureCosts has one value per run: only concrete "
                "methods and 'subset' train runs with different weights. Expected one number."
            )
        return np.exp(-_PER_COST * self.weight * np.asarray(self.costs))


@cache  # captured steps keep reading this tensor
def _on_device(costs: tuple[float, ...], device: torch.device) -> Tensor:
    return torch.tensor(costs, device=device)
