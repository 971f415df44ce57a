"""STG: a stochastic gate on every feature, and a penalty on open gates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ipcae.decoders import Mlp, Params
from ipcae.ops import gaussian_cdf, gaussian_from_bits
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selectors.screening import Screen

_OPEN = 1e4  # opens a gate for any center and noise


@dataclass(frozen=True)
class StochasticGates(Screen):
    """Stochastic gates (Yamada et al., 2020): a network on z ∘ x with one gate per feature.

    z = clamp(μ + ½ + σε, 0, 1) with standard normal ε, drawn once per batch, and the penalty
    λ · mean over the features of Φ((μ + ½) / σ), the probability that a gate is open. Without
    noise, a gate is clamp(μ + ½, 0, 1).

    Parameters
    ----------
    sigma : float, default=0.5
        σ, the standard deviation of the noise of a gate.
    penalty_weights : tuple of float, default=(0.2, 0.4, 0.6, 0.9, 1.3, 1.8, 2.5, 3.5)
        The values of λ to search, in units of the loss of a constant prediction. All are trained
        in one batch; every run uses the one whose number of open gates is nearest to K.
    network : Mlp, default=Mlp(slope=0.0, normalize=False)
        The network on the gated features.
    groups : tuple of tuples of int, default=()
        Features that share a gate. All others have their own.
    epochs : float, default=0.5
        Number of screening epochs, as a multiple of ``max_epochs``.

    See Also
    --------
    LassoNet : A path from dense to sparse.
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.

    Examples
    --------
    >>> StochasticGates().n_epochs(200)
    100
    """

    sigma: float = 0.5
    penalty_weights: tuple[float, ...] = (0.2, 0.4, 0.6, 0.9, 1.3, 1.8, 2.5, 3.5)
    network: Mlp = Mlp(hidden=(200,), slope=0.0, normalize=False)
    groups: tuple[tuple[int, ...], ...] = ()
    epochs: float = 0.5

    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Draw μ and the tensors of the network.

        Shape: center (R, D), the μ of the gates; ``buffer:first`` (R, D), the feature whose gate a
        feature shares.
        """
        n_features = len(size_of)
        gates = stream.normal(n_features).mul_(0.01)
        params = {"center": gates, **self.network.init(n_features, n_outputs, stream)}
        if self.groups:
            first = torch.arange(n_features, device=stream.device)
            for group in self.groups:
                first[list(group)] = min(group)
            params["buffer:first"] = first.repeat(len(stream.seeds), 1)
        if self.costs is not None:
            factors = torch.tensor(self.costs.factors, dtype=gates.dtype, device=stream.device)
            params["buffer:factors"] = factors.repeat(len(stream.seeds), 1)
        return params

    def with_groups(self, groups: tuple[tuple[int, ...], ...]) -> StochasticGates:
        """Return a method in which the features of a group share a gate."""
        return replace(self, groups=groups)

    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        center = params["center"]
        if stream is not None:
            noise = gaussian_from_bits(stream.bits(center.shape[1]))
            center = center + self.sigma * noise
        gate = _gate(_shared(center, params))
        return self.network.apply(params, rows * gate.unsqueeze(1), stream)

    def penalty(self, params: Params) -> Tensor:
        """Return the mean probability that a gate is open. Shape: -> (R,)."""
        is_open = gaussian_cdf((params["center"] + 0.5) / self.sigma)
        if "buffer:factors" in params:
            is_open = is_open / params["buffer:factors"]
        first = params.get("buffer:first")
        if first is None:
            return is_open.mean(-1)
        own = first == torch.arange(first.shape[1], device=first.device)
        return (is_open * own).sum(-1) / own.sum(-1)

    def keep_open(self, params: Params, kept: list[int]) -> None:
        """Add a constant to the gates of these features, which keeps them fully open."""
        params["buffer:kept"] = torch.zeros_like(params["center"])
        params["buffer:kept"][:, kept] = _OPEN

    def is_open(self, params: Params) -> Tensor:
        """Return the features with open gates. Shape: -> (R, D), bool."""
        return _gate(_shared(params["center"], params)) > 0

    def scores(self, params: Params) -> Tensor:
        """Return μ. Shape: -> (R, D)."""
        return _shared(params["center"], params)

    def probability(self, params: Params) -> Tensor:
        """Return the gates without noise. Shape: -> (R, D)."""
        return _gate(_shared(params["center"], params))


def _shared(center: Tensor, params: Params) -> Tensor:
    """Return the μ that every feature uses: that of its group, and a large one if it is kept."""
    if "buffer:first" in params:
        center = center.gather(1, params["buffer:first"])
    return center + params["buffer:kept"] if "buffer:kept" in params else center


def _gate(center: Tensor) -> Tensor:
    return (center + 0.5).clamp(0.0, 1.0)
