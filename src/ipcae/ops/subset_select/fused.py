"""Draws of K of D features on a GPU, with one kernel launch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import launch, next_power_of_2
from ipcae.ops.subset_select import kernels_triton
from ipcae.ops.subset_select.inclusion import slopes_times

LARGEST_BLOCK = 4096


def draw_subsets(theta: Tensor, counts: Tensor, bits: Tensor, noise: str) -> Tensor:
    """Draw with the noise of these bits, which are overwritten.

    Shape: theta (R, D); counts (R,); bits (R, n, D), int32 -> (R, n, D).
    """
    return _Draws.apply(theta.contiguous(), counts, bits, noise)


class _Draws(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, counts: Tensor, bits: Tensor, noise: str) -> Tensor:
        n_runs, n_draws, n_features = bits.shape
        masks = theta.new_empty(bits.shape)
        probabilities = torch.empty_like(theta)
        block = min(LARGEST_BLOCK, max(32, next_power_of_2(n_features)))
        launch(
            kernels_triton.draw,
            (n_draws + 1, n_runs),
            theta,
            counts,
            bits,
            masks,
            probabilities,
            n_features,
            GUMBEL=noise == "gumbel",
            ONE_BLOCK=n_features <= block,
            BLOCK=block,
            num_warps=8 if block > 1024 else 4,
        )
        ctx.save_for_backward(probabilities)
        return masks

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return slopes_times(gradient.sum(1), *ctx.saved_tensors), None, None, None
