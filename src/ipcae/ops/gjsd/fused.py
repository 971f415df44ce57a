"""The divergence on a GPU: four kernels forward, one backward."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.kernel_launch import cdiv, launch, next_power_of_2
from ipcae.ops.gjsd import kernels_triton

_NODES, _FEATURES = 64, 32  # the tile of a program that averages the distributions
_LARGEST_BLOCK = 1024


def gjsd(logits: Tensor, nodes: Tensor | None) -> Tensor:
    """Shape: logits (R, K, D); nodes (R, K), 1 for those to include -> (R,)."""
    return _Gjsd.apply(logits.contiguous(), None if nodes is None else nodes.contiguous())


class _Gjsd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, nodes: Tensor | None) -> Tensor:
        n_runs, n_nodes, n_features = logits.shape
        log_sums, divergences = logits.new_empty(2, n_runs, n_nodes).unbind(0)
        log_mixture = logits.new_empty(n_runs, n_features)
        block = min(_LARGEST_BLOCK, next_power_of_2(n_features))
        each_node = (n_runs * n_nodes,)
        launch(kernels_triton.log_sums, each_node, logits, log_sums, n_features, BLOCK=block)
        launch(
            kernels_triton.log_mixtures,
            (cdiv(n_features, _FEATURES), n_runs),
            logits,
            log_sums,
            log_sums if nodes is None else nodes,
            log_mixture,
            n_nodes,
            n_features,
            HAS_NODES=nodes is not None,
            NODES=_NODES,
            FEATURES=_FEATURES,
        )
        known = logits, log_sums, log_mixture
        sizes = n_nodes, n_features
        launch(kernels_triton.divergences, each_node, *known, divergences, *sizes, BLOCK=block)
        weights = None if nodes is None else nodes / nodes.sum(-1, keepdim=True)
        ctx.save_for_backward(*known, divergences, weights)
        return divergences.mean(-1) if weights is None else (divergences * weights).sum(-1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        *known, divergences, weights = ctx.saved_tensors
        logits, grad = known[0], grad.contiguous()
        n_runs, n_nodes, n_features = logits.shape
        gradient = torch.empty_like(logits)
        launch(
            kernels_triton.gradient,
            (n_runs * n_nodes,),
            *known,
            divergences,
            grad,
            grad if weights is None else weights,
            gradient,
            n_nodes,
            n_features,
            HAS_WEIGHTS=weights is not None,
            BLOCK=min(_LARGEST_BLOCK, next_power_of_2(n_features)),
        )
        return gradient, None
