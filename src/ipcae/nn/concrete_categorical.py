"""Relaxed categorical variables as a layer: logits in, one-hot samples out."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.nn.annealed import Annealed
from ipcae.nn.global_stream import global_gumbel
from ipcae.schedules import Schedule


class ConcreteCategorical(Annealed):
    """Sample independent categorical variables from their logits, differentiably.

    In training, a sample is softmax((log α + g) / T): near one-hot when T is low, with Gumbel
    noise g that follows ``torch.manual_seed``. In evaluation it is the one-hot of the largest
    logit. The logits may come from anywhere: an encoder's for every example, or those of
    :class:`~ipcae.nn.IndirectLogits`.

    Parameters
    ----------
    temperature : float or Schedule
        T, or T as a function of progress, which moves when :meth:`set_progress` is called.
    straight_through : bool
        One-hot samples in training too, with the gradient of the soft ones.

    Notes
    -----
    Shape: (..., D) -> (..., D), such as (B, K, D) for K variables of D categories. Every vector
    of logits has noise of its own.

    Examples
    --------
    >>> from ipcae.nn import IndirectLogits
    >>> encoder = torch.nn.Linear(16, 3 * 5)
    >>> latent = ConcreteCategorical(temperature=0.5)
    >>> sample = latent(encoder(torch.rand(7, 16)).view(7, 3, 5))
    >>> sample.shape, torch.allclose(sample.sum(-1), torch.ones(7, 3))
    (torch.Size([7, 3, 5]), True)
    >>> prior = IndirectLogits(3, 5)
    >>> latent.eval()(prior()).sum(-1)
    tensor([1., 1., 1.])
    """

    def __init__(self, temperature: float | Schedule = 1.0, *, straight_through: bool = False):
        super().__init__(temperature)
        self.straight_through = straight_through

    def forward(self, logits: Tensor) -> Tensor:
        """Return a sample, or in evaluation the mode. Shape: (..., D) -> (..., D)."""
        if not self.training:
            return _one_hot(logits)
        noise = global_gumbel(*logits.shape, like=logits)
        soft = torch.softmax((logits + noise) / self.temperature, dim=-1)
        if self.straight_through:
            soft = _one_hot(soft) + (soft - soft.detach())  # the second part is exactly zero
        return soft.to(logits.dtype)

    def extra_repr(self) -> str:
        """Show what distinguishes this layer."""
        return f"temperature={self.temperature:.4g}, straight_through={self.straight_through}"


def _one_hot(scores: Tensor) -> Tensor:
    return functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
