"""STG: a stochastic gate on every feature, and a penalty on open gates."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.decoders import Mlp, Params
from ipcae.ops import gaussian_cdf, gaussian_from_bits
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selectors.screening import Screen

_OPEN = 1e4  # opens a gate whatever its center and the noise


@dataclass(frozen=True)
class StochasticGates(Screen):
    """Stochastic gates (Yamada et al., 2020): a network on z ∘ x with one gate per feature.

    z = clamp(μ + ½ + σε, 0, 1) with standard normal ε, drawn once per batch, and the penalty
    λ · mean over the features of Φ((μ + ½) / σ), the probability that a gate is open. Without
    noise, a gate is clamp(μ + ½, 0, 1).

    Parameters
    ----------
    sigma : float
        σ, the standard deviation of the noise of a gate.
    penalty_weights : tuple of float
        The values of λ to search, in units of the loss of a constant prediction. All are trained
        in one batch; every run uses the one whose number of open gates is nearest to K.
    network : Mlp
        The network on the gated features.
    epochs : float
        Number of screening epochs, as a multiple of ``max_epochs``.

    Examples
    --------
    >>> StochasticGates().n_epochs(200)
    100
    """

    sigma: float = 0.5
    penalty_weights: tuple[float, ...] = (0.2, 0.4, 0.6, 0.9, 1.3, 1.8, 2.5, 3.5)
    network: Mlp = Mlp(hidden=(200,), slope=0.0, normalize=False)
    epochs: float = 0.5

    def n_epochs(self, max_epochs: int) -> int:
        """Return the number of screening epochs."""
        return max(round(self.epochs * max_epochs), 1)

    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Draw μ and the tensors of the network. Shape: center (R, D), the μ of the gates."""
        n_features = len(size_of)
        gates = stream.normal(n_features).mul_(0.01)
        return {"center": gates, **self.network.init(n_features, n_outputs, stream)}

    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        center = params["center"]
        if stream is not None:
            noise = gaussian_from_bits(stream.bits(center.shape[1]))
            center = center + self.sigma * noise
        gate = _gate(center + params["buffer:kept"] if "buffer:kept" in params else center)
        return self.network.apply(params, rows * gate.unsqueeze(1), stream)

    def penalty(self, params: Params) -> Tensor:
        """Return the mean probability that a gate is open. Shape: -> (R,)."""
        return gaussian_cdf((params["center"] + 0.5) / self.sigma).mean(-1)

    def keep_open(self, params: Params, kept: list[int]) -> None:
        """Add a constant to the gates of these features, which keeps them fully open."""
        params["buffer:kept"] = torch.zeros_like(params["center"])
        params["buffer:kept"][:, kept] = _OPEN

    def is_open(self, params: Params) -> Tensor:
        """Return the features with open gates. Shape: -> (R, D), bool."""
        return _gate(params["center"]) > 0

    def scores(self, params: Params) -> Tensor:
        """Return μ. Shape: -> (R, D)."""
        return params["center"]

    def probability(self, params: Params) -> Tensor:
        """Return the gates without noise. Shape: -> (R, D)."""
        return _gate(params["center"])


def _gate(center: Tensor) -> Tensor:
    return (center + 0.5).clamp(0.0, 1.0)
