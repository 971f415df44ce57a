"""Penalties on the selection, added to the training loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import torch
from torch import Tensor

from ipcae.errors import InputError


def gjsd(logits: Tensor, nodes: Tensor | None = None) -> Tensor:
    """Return the generalized Jensen-Shannon divergence of the K distributions of every run.

    The weights are 1/K. It is 0 if all K distributions are equal, and log K if no two overlap.
    ``nodes`` is 1 for the nodes to include, by default all.

    Shape: logits (R, K, D); nodes (R, K) -> (R,).

    >>> gjsd(torch.zeros(1, 3, 5)).item()
    0.0
    """
    log_p = torch.log_softmax(logits, dim=-1)
    if nodes is not None:
        # A run without nodes has no divergence; that of its unused nodes changes nothing.
        nodes = torch.where(nodes.sum(-1, keepdim=True) > 0, nodes, torch.ones_like(nodes))
        counts = nodes.sum(-1)
        included = log_p.masked_fill(nodes.unsqueeze(-1) == 0, -torch.inf)
        log_mixture = torch.logsumexp(included, dim=1, keepdim=True) - counts.log().view(-1, 1, 1)
        divergences = (log_p.exp() * (log_p - log_mixture)).sum(-1)
        return (divergences * nodes).sum(-1) / counts
    log_mixture = torch.logsumexp(log_p, dim=1, keepdim=True) - math.log(logits.shape[1])
    return (log_p.exp() * (log_p - log_mixture)).sum(-1).mean(-1)


@dataclass(frozen=True)
class Gjsd:
    """Encourage diversity by subtracting weight · GJSD of the nodes' distributions from the loss.

    Parameters
    ----------
    weight : float or tuple of float
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
    """Add weight · the mean cost of the features that the nodes select to the loss.

    The cost of a node is the mean over its distribution, so that features of high cost are selected
    only if they lower the loss by more.

    Parameters
    ----------
    costs : tuple of float
        The cost of every feature, such as 0 to 1.
    weight : float or tuple of float
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
        if logits.shape[-1] != len(self.costs):
            raise InputError(
                f"There are {len(self.costs)} costs for {logits.shape[-1]} features: expected one "
                "for each."
            )
        costs = _on_device(self.costs, logits.device)
        # Not a matrix product, whose rounding may depend on the number of runs.
        of_nodes = (torch.softmax(logits, dim=-1) * costs).sum(-1)
        if nodes is None:
            return of_nodes.mean(-1)
        return (of_nodes * nodes).sum(-1) / nodes.sum(-1).clamp(min=1)


@cache  # captured steps keep reading this tensor
def _on_device(costs: tuple[float, ...], device: torch.device) -> Tensor:
    return torch.tensor(costs, device=device)
