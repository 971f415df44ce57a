"""The generalized Jensen-Shannon divergence of the nodes of every run."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ipcae.ops.dispatch import kernels_for

__all__ = ["gjsd"]


def gjsd(logits: Tensor, nodes: Tensor | None = None) -> Tensor:
    """Return the generalized Jensen-Shannon divergence of the K distributions of every run.

    GJSD = 1/K Σₖ Σ_d pₖ(d) log(pₖ(d) / m(d)), where pₖ = softmax(logitsₖ) and m = 1/K Σₖ pₖ. It is
    0 if all K distributions are equal, and log K if no two overlap. ``nodes`` is 1 for the nodes to
    include, by default all.

    Shape: logits (R, K, D); nodes (R, K) -> (R,).

    >>> gjsd(torch.zeros(1, 3, 5)).item()
    0.0
    """
    if nodes is not None:
        # A run without nodes has no divergence; that of its unused nodes changes nothing.
        nodes = torch.where(nodes.sum(-1, keepdim=True) > 0, nodes, torch.ones_like(nodes))
    if kernels_for(logits):
        from ipcae.ops.gjsd import fused

        return fused.gjsd(logits, nodes)
    return reference(logits, nodes)


def reference(logits: Tensor, nodes: Tensor | None = None) -> Tensor:
    """Compute the same with PyTorch's own operations. Shape: as :func:`gjsd`."""
    log_p = torch.log_softmax(logits, dim=-1)
    if nodes is None:
        log_mixture = torch.logsumexp(log_p, dim=1, keepdim=True) - math.log(logits.shape[1])
        return (log_p.exp() * (log_p - log_mixture)).sum(-1).mean(-1)
    counts = nodes.sum(-1)
    included = log_p.masked_fill(nodes.unsqueeze(-1) == 0, -torch.inf)
    log_mixture = torch.logsumexp(included, dim=1, keepdim=True) - counts.log().view(-1, 1, 1)
    divergences = (log_p.exp() * (log_p - log_mixture)).sum(-1)
    return (divergences * nodes).sum(-1) / counts
