"""Draw K of D features without replacement, with gradients through inclusion probabilities.

A draw consists of the K largest of θ + noise. With Gumbel noise this is sampling without
replacement with weights exp(θ), one feature after the other (Efraimidis and Spirakis, 2006); with
logistic noise it is Pareto sampling (Rosén, 1997), whose inclusion probabilities are closer to
those of :mod:`ipcae.ops.subset_select.inclusion`. A draw needs D random numbers, and nothing of
size K × D is formed.
"""

from __future__ import annotations

from torch import Tensor

from ipcae.ops.dispatch import kernels_for
from ipcae.ops.gumbel import gumbel_from_bits
from ipcae.ops.logistic import logistic_from_bits
from ipcae.ops.subset_select import reference, run_by_run
from ipcae.ops.subset_select.inclusion import inclusion_probabilities
from ipcae.runs import Stream

__all__ = ["NOISES", "draw_subsets", "inclusion_probabilities", "largest_subset"]

NOISES = {"gumbel": gumbel_from_bits, "logistic": logistic_from_bits}


def draw_subsets(
    theta: Tensor, counts: Tensor, n_draws: int, stream: Stream, noise: str = "logistic"
) -> Tensor:
    """Return masks of K features, drawn without replacement.

    Gradients are those of the inclusion probabilities, as if the masks were these.

    Shape: theta (R, D); counts (R,), the K of every run -> (R, n, D).

    >>> import torch
    >>> masks = draw_subsets(torch.zeros(1, 5), torch.tensor([2.0]), 3, Stream([0]))
    >>> masks.sum(-1)
    tensor([[2., 2., 2.]])
    """
    shape = n_draws, theta.shape[1]
    if kernels_for(theta):
        from ipcae.ops.subset_select import fused

        return fused.draw_subsets(theta, counts, stream.bits(*shape), noise)
    if theta.device.type != "cpu":
        return reference.draw_subsets(theta, counts, NOISES[noise](stream.bits(*shape)))
    numbers, positions = stream.distinct(NOISES[noise], *shape)
    if positions is not None:
        numbers = numbers.index_select(0, positions)
    return run_by_run.draw_subsets(theta, counts, numbers)


def largest_subset(theta: Tensor, counts: Tensor) -> Tensor:
    """Return the mask of the K largest θ. Shape: theta (R, D); counts (R,) -> (R, D).

    >>> import torch
    >>> largest_subset(torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([2.0]))
    tensor([[1., 0., 1.]])
    """
    theta = theta.detach()
    return reference.largest(theta.unsqueeze(1), counts).squeeze(1) + (theta - theta)
