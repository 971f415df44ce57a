"""LassoNet's proximal operator: shrink a feature's skip weights and bound its hidden weights."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.ops.dispatch import kernels_for


def hierarchical_prox_(skip: Tensor, hidden: Tensor, threshold: Tensor, hierarchy: float) -> None:
    """Replace the weights by those of :func:`hierarchical_prox`."""
    if kernels_for(skip):
        from ipcae.ops import hierarchical_prox_triton as kernel

        if kernel.fits(skip, hidden):
            kernel.bound_in_place(skip, hidden, threshold, hierarchy)
            return
    theta, bounded = hierarchical_prox(skip, hidden, threshold, hierarchy)
    skip.copy_(theta)
    hidden.copy_(bounded)


def hierarchical_prox(
    skip: Tensor, hidden: Tensor, threshold: Tensor, hierarchy: float
) -> tuple[Tensor, Tensor]:
    """Return, for every run and feature, the θ and W that minimize

    ½‖θ − v‖² + ½‖W − u‖² + t‖θ‖₂ subject to ‖W‖∞ ≤ M‖θ‖₂,

    where v are its weights in the skip layer, u those in the first hidden layer, t the threshold
    and M the hierarchy coefficient. The bound on |W| is

    w = M / (1 + m M²) · max(‖v‖ + M · (sum of the m largest |u|) − t, 0)

    for the one m with |u|₍ₘ₊₁₎ ≤ w < |u|₍ₘ₎ (Lemhadri et al., 2021, algorithm 3). A feature whose v
    is zero has no direction to grow in and stays at zero.

    Shape: skip (R, O, D); hidden (R, H, D); threshold (R, D) or (R, 1) -> (R, O, D), (R, H, D).

    >>> skip, hidden = torch.tensor([[[1.0, 0.1]]]), torch.tensor([[[5.0, 5.0], [0.5, 0.5]]])
    >>> theta, bounded = hierarchical_prox(skip, hidden, torch.tensor([[0.5]]), hierarchy=1.0)
    >>> theta
    tensor([[[2.7500, 2.3000]]])
    >>> bounded
    tensor([[[2.7500, 2.3000],
             [0.5000, 0.5000]]])
    """
    norm = torch.linalg.vector_norm(skip, dim=1)
    slack = norm - threshold
    magnitudes = hidden.abs()
    if norm.device.type == "cpu":
        bound = _by_newton(slack, magnitudes, hierarchy)
    else:
        bound = _by_sorting(slack, magnitudes, hierarchy)
    bound = torch.where(norm > 0, bound, 0.0)
    shrunk = skip * (bound / (hierarchy * torch.where(norm > 0, norm, 1.0))).unsqueeze(1)
    limit = bound.unsqueeze(1)
    return shrunk, torch.minimum(torch.maximum(hidden, -limit), limit)


def _by_sorting(slack: Tensor, magnitudes: Tensor, hierarchy: float) -> Tensor:
    """Evaluate all m at once: without branches, so that a CUDA graph can capture it.

    Shape: slack (R, D), the ‖v‖ − t; magnitudes (R, H, D) -> (R, D).
    """
    ordered = magnitudes.transpose(1, 2).sort(dim=-1, descending=True).values
    # Candidates for m = 0 … H: a first column without any of the hidden weights.
    sums = torch.nn.functional.pad(ordered.cumsum(-1), (1, 0))
    count = torch.arange(sums.shape[-1], device=sums.device)
    candidates = _candidate(slack.unsqueeze(-1), sums, count, hierarchy)
    m = (ordered > candidates[..., :-1]).sum(-1, keepdim=True)
    return candidates.gather(-1, m).squeeze(-1)


def _by_newton(slack: Tensor, magnitudes: Tensor, hierarchy: float) -> Tensor:
    """Solve for the bound with Newton's method, without sorting.

    w is the root of w / M − slack − M Σ max(|u| − w, 0), a concave increasing function, so that
    Newton's method from below converges monotonically, in a few steps.

    Shape: as :func:`_by_sorting`.
    """
    bound = hierarchy * torch.relu(slack)
    # Most features have no hidden weight above the first bound and need no iterations.
    exceeded = magnitudes.amax(1) > bound
    magnitudes = magnitudes.transpose(1, 2)[exceeded]
    slack, lower = slack[exceeded], bound[exceeded]
    while True:
        above = magnitudes > lower.unsqueeze(-1)
        sums = (magnitudes * above).sum(-1)
        higher = _candidate(slack, sums, above.sum(-1), hierarchy)
        if not bool((higher > lower).any()):
            break
        lower = torch.maximum(higher, lower)
    bound[exceeded] = lower
    return bound


def _candidate(slack: Tensor, sums: Tensor, count: Tensor, hierarchy: float) -> Tensor:
    return hierarchy * torch.relu(slack + hierarchy * sums) / (1 + count * hierarchy**2)


def grouped(weights: Tensor, members: Tensor) -> Tensor:
    """Concatenate the weights of a group's features, as if the group were one feature.

    Shape: weights (R, H, D); members (G, S), the features of each group, padded with D
    -> (R, H · S, G).

    >>> grouped(torch.tensor([[[1.0, 2.0, 3.0]]]), torch.tensor([[0, 2], [1, 3]]))
    tensor([[[1., 2.],
             [3., 0.]]])
    """
    padded = torch.nn.functional.pad(weights, (0, 1))
    together = padded[:, :, members]
    return together.permute(0, 1, 3, 2).reshape(len(weights), -1, len(members))


def ungrouped(together: Tensor, members: Tensor, n_features: int) -> Tensor:
    """Return the weights of each feature: the inverse of :func:`grouped`.

    Shape: together (R, H · S, G); members (G, S) -> (R, H, D).
    """
    n_groups, size = members.shape
    values = together.reshape(len(together), -1, size, n_groups).transpose(2, 3).flatten(2)
    padded = values.new_zeros(*values.shape[:2], n_features + 1)
    return padded.index_copy(2, members.flatten(), values)[:, :, :n_features]
