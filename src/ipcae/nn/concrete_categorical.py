"""A layer that samples relaxed categorical variables."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.nn.annealed import Annealed
from ipcae.nn.global_stream import global_gumbel
from ipcae.schedules import Schedule


class ConcreteCategorical(Annealed):
    """Draw differentiable samples of independent categorical variables, given their logits.

    In training, a sample is softmax((log α + g) / T), which is almost one-hot at low T. The Gumbel
    noise g depends on ``torch.manual_seed``. In evaluation, the result is the one-hot vector of the
    largest logit. The logits can be the output of an encoder, or of
    :class:`~ipcae.nn.IndirectLogits`.

    Parameters
    ----------
    temperature : float or Schedule, default=1.0
        T, or a schedule that :meth:`set_progress` evaluates.
    straight_through : bool, default=False
        Whether to return one-hot samples in training as well, with the gradient of the soft ones.

    See Also
    --------
    ipcae.nn.IndirectLogits : Learned logits of K distributions.
    ipcae.nn.ConcreteSelect : A layer that selects K of D inputs.

    Notes
    -----
    Shape: (..., D) -> (..., D), such as (B, K, D) for K variables of D categories. The noise of all
    elements is independent.

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
        """Return a sample in training, the mode in evaluation. Shape: (..., D) -> (..., D)."""
        if not self.training:
            return _one_hot(logits)
        noise = global_gumbel(*logits.shape, like=logits)
        soft = torch.softmax((logits + noise) / self.temperature, dim=-1)
        if self.straight_through:
            soft = _one_hot(soft) + (soft - soft.detach())  # the second term is exactly zero
        return soft.to(logits.dtype) if logits.is_floating_point() else soft

    def extra_repr(self) -> str:
        """Return the settings to show in ``repr``."""
        return f"temperature={self.temperature:.4g}, straight_through={self.straight_through}"


def _one_hot(scores: Tensor) -> Tensor:
    return functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
