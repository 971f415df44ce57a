"""Draws of K of D features in plain PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ipcae.ops.subset_select.inclusion import probabilities, slopes_times


def draw_subsets(theta: Tensor, counts: Tensor, noise: Tensor) -> Tensor:
    """Return masks of the K largest of θ + noise, with the gradients of the probabilities.

    Shape: theta (R, D); counts (R,); noise (R, n, D) -> (R, n, D).
    """
    return _Draws.apply(theta, counts, noise)


def largest(values: Tensor, counts: Tensor) -> Tensor:
    """Return masks of the K largest values; ties are broken by the order of the features.

    Shape: values (R, n, D); counts (R,) -> (R, n, D).

    >>> largest(torch.tensor([[[1.0, 3.0, 3.0, 3.0]]]), torch.tensor([2.0]))
    tensor([[[0., 1., 1., 0.]]])
    """
    order = values.argsort(dim=-1, descending=True, stable=True)
    places = torch.arange(values.shape[-1], device=values.device, dtype=counts.dtype)
    chosen = (places < counts.view(-1, 1, 1)).to(values.dtype)
    return torch.zeros_like(values).scatter(-1, order, chosen.expand_as(values))


class _Draws(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, counts: Tensor, noise: Tensor) -> Tensor:
        ctx.save_for_backward(probabilities(theta, counts))
        # The second term is zero, or NaN where θ is, so that divergence is noticed.
        return largest(theta.unsqueeze(1) + noise, counts) + (theta - theta).unsqueeze(1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return slopes_times(gradient.sum(1), *ctx.saved_tensors), None, None
