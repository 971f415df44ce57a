"""Runs that select fewer than K features: masks of their nodes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.decoders import Decoder, Params


def node_mask(counts: Sequence[int], n_nodes: int) -> Tensor | None:
    """Return 1 for the first ``counts`` nodes of every run, else 0; None if all nodes are used.

    Shape: -> (R, K).

    >>> node_mask([1, 3], 3)
    tensor([[1., 0., 0.],
            [1., 1., 1.]])
    """
    if min(counts) == n_nodes:
        return None
    return (torch.arange(n_nodes) < torch.tensor(counts)[:, None]).float()


def narrowed_decoder(decoder: Decoder, params: Params, nodes: Tensor) -> Params:
    """Initialize decoders as if they had as many inputs as their run has nodes.

    Decoders without a method ``narrowed`` keep their tensors. Shape: nodes (R, K).
    """
    narrowed = getattr(decoder, "narrowed", None)
    return params if narrowed is None else narrowed(params, nodes)
