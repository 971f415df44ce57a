"""LassoNet: a network that drops features along a path of increasing ℓ1 penalties."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ipcae.decoders import Mlp, Params
from ipcae.errors import InputError
from ipcae.ops import grouped, hierarchical_prox, hierarchical_prox_, run_linear, ungrouped
from ipcae.runs import Stream
from ipcae.schedules import Progress, Schedule, scheduled
from ipcae.selectors.screening import Screen

_TINY = 1e-6  # minimum relative size, so that constant features are dropped first


@dataclass(frozen=True)
class DenseToSparse:
    """λ = 0 in the first part of training, then increasing geometrically from start to end.

    Parameters
    ----------
    dense : float, default=0.25
        Fraction of the screening with λ = 0, in which all features are trained.
    start : float, default=0.1
        λ at the beginning of the path, in units of M·H + √O, with the ``hierarchy`` M of
        :class:`LassoNet`, H hidden units and O outputs.
    end : float, default=2.0
        λ at the end of the path, in the same units.

    See Also
    --------
    LassoNet : Follows this path.
    Exponential : A geometric schedule without the dense part.

    Examples
    --------
    >>> path = DenseToSparse(dense=0.5, start=0.1, end=10.0)
    >>> path(0.25), path(0.5), path(0.75)
    (0.0, 0.1, 1.0)
    """

    dense: float = 0.25
    start: float = 0.1
    end: float = 2.0

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        if progress < self.dense:
            return 0.0
        done = (progress - self.dense) / (1.0 - self.dense)
        return self.start * (self.end / self.start) ** done


@dataclass(frozen=True)
class LassoNet(Screen):
    """LassoNet (Lemhadri et al., 2021): a network with a linear skip layer that controls it.

    outputs = θᵀx + network(x). After every step, a proximal operator shrinks the skip weights θ_d
    of each feature by λ and bounds its weights in the first hidden layer by M‖θ_d‖₂: a feature that
    the skip layer drops is dropped from the network. λ is zero at first and then increases every
    epoch, with warm starts: the whole path is one training. Features are ranked by the number of
    steps in which they are active. If no dropped feature returns, this is the order in which they
    are dropped; the noise of a batch can make a feature return temporarily.

    Adam changes every weight by about one learning rate per step, regardless of the size of its
    gradient. A feature with H hidden weights and O skip weights can therefore regain at most about
    M·H + √O learning rates per step, which is the unit of λ: at 2, the end of the path, almost no
    feature is active, regardless of the data. In a group of S features, H and O count the weights
    of all S. Because Adam normalizes the gradients, λ is divided by a power of the size of the
    feature, its root mean square relative to the largest (docs/experiments/lassonet.md).

    Parameters
    ----------
    hierarchy : float, default=10.0
        M.
    path : Schedule, default=DenseToSparse()
        λ as a function of progress.
    size_power : float, default=0.25
        Exponent of the size of a feature: 0 treats all features alike, as Adam does; with 1, the
        resistance to λ is proportional to the size, as in gradient descent.
    network : Mlp, default=Mlp(slope=0.0, normalize=False)
        The network on all features, with at least one hidden layer.
    groups : tuple of tuples of int, default=()
        Features that are dropped together. All others are dropped individually.
    epochs : float, default=1.0
        Number of screening epochs, as a multiple of ``max_epochs``.

    See Also
    --------
    StochasticGates : A network with a gate per feature.
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.

    Examples
    --------
    >>> LassoNet().path(0.2), LassoNet().n_epochs(200)
    (0.0, 200)
    """

    hierarchy: float = 10.0
    path: Schedule = DenseToSparse()
    size_power: float = 0.25
    network: Mlp = Mlp(hidden=(200,), slope=0.0, normalize=False)
    groups: tuple[tuple[int, ...], ...] = ()
    epochs: float = 1.0

    measure = "score"
    penalty_weights = (0.0,)  # λ belongs to the proximal operator, not to the loss

    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, and those of the network.

        Shape: skip (R, O, D); survived and step (R, D).
        """
        n_features = len(size_of)
        if not self.network.hidden:
            raise InputError("LassoNet needs a network with a hidden layer, such as Mlp((200,)).")
        n_runs, bound = len(stream.seeds), n_features**-0.5
        params = {"skip": stream.uniform(n_outputs, n_features).mul_(2 * bound).sub_(bound)}
        zeros = torch.zeros(n_runs, n_features, device=stream.device)
        params |= {"buffer:survived": zeros, "buffer:step": zeros.clone()}
        resistance = size_of
        if self.groups:
            members = _members(self.groups, n_features)
            resistance = torch.nn.functional.pad(size_of, (0, 1))[members].amax(1)
            params["buffer:members"] = members.repeat(n_runs, 1, 1).to(stream.device)
        resistance = (resistance / resistance.amax().clamp(min=_TINY)).clamp(min=_TINY)
        resistance = resistance**self.size_power
        if self.costs is not None:
            costs = self.costs
            if self.groups:
                costs = costs.of_units(members.numpy())
            resistance = resistance * torch.tensor(costs.factors, dtype=resistance.dtype)
        params["buffer:resistance"] = resistance.repeat(n_runs, 1).to(stream.device)
        return params | self.network.init(n_features, n_outputs, stream)

    def with_groups(self, groups: tuple[tuple[int, ...], ...]) -> LassoNet:
        """Return a method that drops the features of a group together."""
        return replace(self, groups=groups)

    def keep_open(self, params: Params, kept: list[int]) -> None:
        """Set the resistance of these features, or of their groups, to infinity."""
        resistance, members = params["buffer:resistance"], params.get("buffer:members")
        if members is None:
            resistance[:, kept] = torch.inf
        else:
            in_group = torch.isin(members[0], torch.tensor(kept, device=members.device)).any(1)
            resistance[:, in_group] = torch.inf

    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Shape: rows (B, D) -> (R, B, O)."""
        return run_linear(rows, params["skip"]) + self.network.apply(params, rows, stream)

    def penalty(self, params: Params) -> None:
        """Return None: the proximal operator applies the penalty."""
        # NOTE[DIFF]: the published package can add a term gamma · ‖weights‖²; it reads them through
        # ``.data``, so the term has no gradient, and is omitted here.

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Apply the proximal operator, and count the steps of the active features."""
        # NOTE[DIFF]: the path is one training by Adam on batches; the package trains on full
        # batches, with Adam until convergence at λ = 0 and with SGD with momentum along the path.
        # NOTE[DIFF]: λ follows a fixed range in units of what a feature can regain, divided by a
        # power of its size; the package estimates the start and treats all features alike.
        skip, hidden = params["skip"], params["0.weight"]
        members = params.get("buffer:members")
        size = 1 if members is None else members.shape[2]
        unit = self.hierarchy * hidden.shape[1] * size + (skip.shape[1] * size) ** 0.5
        penalty = step_size * scheduled(self.path, progress) * unit
        threshold = penalty.unsqueeze(1) / params["buffer:resistance"]
        if members is None:
            hierarchical_prox_(skip, hidden, threshold, self.hierarchy)
        else:
            groups = [grouped(weights, members[0]) for weights in (skip, hidden)]
            proximal = hierarchical_prox(groups[0], groups[1], threshold, self.hierarchy)
            for weights, own in zip((skip, hidden), proximal, strict=True):
                weights.copy_(ungrouped(own, members[0], skip.shape[2]))
        step, survived = params["buffer:step"], params["buffer:survived"]
        step += 1
        survived += self.is_open(params)

    def is_open(self, params: Params) -> Tensor:
        """Return the features with nonzero skip weights. Shape: -> (R, D), bool."""
        return (params["skip"] != 0).any(1)

    def scores(self, params: Params) -> Tensor:
        """Return the number of steps in which a feature was active, plus ‖θ_d‖₂ / (1 + ‖θ_d‖₂)."""
        # NOTE[DIFF]: the package ranks by the λ at which a feature is dropped for the last time,
        # which depends on the noise of the batches.
        norm = torch.linalg.vector_norm(params["skip"], dim=1).double()
        return params["buffer:survived"] + norm / (1 + norm)

    def probability(self, params: Params) -> Tensor:
        """Return the fraction of steps in which a feature was active. Shape: -> (R, D)."""
        survived = params["buffer:survived"]
        return survived / params["buffer:step"].clamp(min=1)


def _members(groups: tuple[tuple[int, ...], ...], n_features: int) -> Tensor:
    """Return the features of every group, padded with ``n_features``. Shape: -> (G, S)."""
    listed = [feature for group in groups for feature in group]
    if len(set(listed)) < len(listed) or not set(listed) <= set(range(n_features)):
        raise InputError(
            f"groups={groups} are not understood: expected each feature at most once, as a number "
            f"from 0 to {n_features - 1}."
        )
    singles = tuple((feature,) for feature in range(n_features) if feature not in set(listed))
    every = (*(group for group in groups if group), *singles)
    size = max(len(group) for group in every)
    return torch.tensor([(*group, *[n_features] * (size - len(group))) for group in every])
