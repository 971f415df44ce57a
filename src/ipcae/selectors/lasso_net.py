"""LassoNet: a network whose features leave one by one, as the price of a feature rises."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.decoders import Mlp, Params
from ipcae.errors import InputError
from ipcae.ops import grouped, hierarchical_prox, run_linear, ungrouped
from ipcae.runs import Stream
from ipcae.schedules import Progress, Schedule, scheduled
from ipcae.selectors.screening import Screen

_TINY = 1e-6  # the least relative size: a constant feature goes first


@dataclass(frozen=True)
class DenseToSparse:
    """λ = 0 for the first part of training, then rising geometrically from start to end.

    Parameters
    ----------
    dense : float
        Part of the screening that trains all features, with λ = 0.
    start, end : float
        λ at the beginning and at the end of the path, in units of M·H + √O.

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
    """LassoNet (Lemhadri et al., 2021): a network plus a linear skip layer that leads it.

    outputs = θᵀx + network(x). After every step, a proximal operator shrinks the skip weights θ_d
    of each feature by λ and keeps its weights in the first hidden layer below M‖θ_d‖₂: a feature
    that the skip layer drops is out of the network. λ is zero at first and then rises every epoch,
    each time from the weights before: the whole path is one training. Features are ranked by how
    many of its steps they are alive. Where none comes back that is the order in which they leave,
    but the noise of a batch can bring back for a moment one that had left.

    Adam moves every weight by about a learning rate, whatever the size of its gradient. So a
    feature can regain at most about M·H + √O learning rates a step, through its H hidden and its O
    skip weights, which is the unit of λ: at 2, where the path ends, hardly any survives, whatever
    the data. In a group of S features both are those of all S. And since Adam hides how large a
    feature's gradient is, λ is divided by a power of the feature's own size, its root mean square
    relative to the largest (docs/decisions/0005).

    Parameters
    ----------
    hierarchy : float
        M.
    path : Schedule
        λ as a function of progress.
    size_power : float
        0 treats features of all sizes alike, as Adam does; 1 lets a feature resist in proportion
        to its size, as plain gradient steps do.
    network : Mlp
        Reads all features, with at least one hidden layer.
    groups : tuple of tuples of int
        Features that stay or go together; those in no group are each by themselves.
    epochs : float
        Epochs of screening, as a multiple of the decoder's.

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

    penalty_weights = (0.0,)  # λ belongs to the proximal operator, not to the loss

    def n_epochs(self, max_epochs: int) -> int:
        """Return the epochs of screening."""
        return max(round(self.epochs * max_epochs), 1)

    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Shape: skip (R, O, D); survived and step (R, D); and the network's tensors."""
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
        params["buffer:resistance"] = resistance.repeat(n_runs, 1).to(stream.device)
        return params | self.network.init(n_features, n_outputs, stream)

    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Shape: rows (B, D) -> (R, B, O)."""
        return run_linear(rows, params["skip"]) + self.network.apply(params, rows, stream)

    def penalty(self, params: Params) -> None:
        """Return nothing: the penalty is in the proximal operator."""
        # NOTE[DIFF]: the published package can add a term gamma · ‖weights‖²; it reads them through
        # ``.data``, so the term has no gradient, and is left out here.

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Apply the proximal operator, and note which features are still there."""
        # NOTE[DIFF]: the path is one training by Adam on batches; the package trains on all rows
        # at once, by Adam until λ = 0 has converged and by SGD with momentum along the path.
        # NOTE[DIFF]: λ runs through a fixed range in units of what a feature can regain, divided
        # by a power of its size; the package estimates where to begin and treats all alike.
        skip, hidden = params["skip"], params["0.weight"]
        members = params.get("buffer:members")
        size = 1 if members is None else members.shape[2]
        unit = self.hierarchy * hidden.shape[1] * size + (skip.shape[1] * size) ** 0.5
        price = step_size * scheduled(self.path, progress) * unit
        threshold = price.unsqueeze(1) / params["buffer:resistance"]
        if members is None:
            theta, bounded = hierarchical_prox(skip, hidden, threshold, self.hierarchy)
        else:
            together = [grouped(weights, members[0]) for weights in (skip, hidden)]
            proximal = hierarchical_prox(together[0], together[1], threshold, self.hierarchy)
            theta, bounded = (ungrouped(w, members[0], skip.shape[2]) for w in proximal)
        skip.copy_(theta)
        hidden.copy_(bounded)
        step, survived = params["buffer:step"], params["buffer:survived"]
        step += 1
        survived += self.is_open(params)

    def is_open(self, params: Params) -> Tensor:
        """Shape: -> (R, D), bool."""
        return (params["skip"] != 0).any(1)

    def scores(self, params: Params) -> Tensor:
        """Return the steps a feature was alive, plus a fraction that grows with ‖θ_d‖₂."""
        # NOTE[DIFF]: the package ranks by the λ at which a feature leaves for good, which the noise
        # of batches makes a matter of chance.
        norm = torch.linalg.vector_norm(params["skip"], dim=1).double()
        return params["buffer:survived"] + norm / (1 + norm)

    def probability(self, params: Params) -> Tensor:
        """Return the part of the path in which a feature was alive. Shape: -> (R, D)."""
        survived = params["buffer:survived"]
        return survived / params["buffer:step"].clamp(min=1)


def _members(groups: tuple[tuple[int, ...], ...], n_features: int) -> Tensor:
    """List the features of every group, padded with ``n_features``. Shape: -> (G, S)."""
    listed = [feature for group in groups for feature in group]
    if len(set(listed)) < len(listed) or not set(listed) <= set(range(n_features)):
        raise InputError(
            f"groups={groups} are not understood: expected each feature at most once, as a number "
            f"from 0 to {n_features - 1}."
        )
    alone = tuple((feature,) for feature in range(n_features) if feature not in set(listed))
    every = (*(group for group in groups if group), *alone)
    size = max(len(group) for group in every)
    return torch.tensor([(*group, *[n_features] * (size - len(group))) for group in every])
