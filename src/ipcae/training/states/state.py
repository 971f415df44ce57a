"""The state of a training, needed to resume it, with the best state of every run so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ipcae.models import Params
from ipcae.ops.dispatch import kernels_for
from ipcae.runs import Runs
from ipcae.training.adam import Adam
from ipcae.training.plan import Plan
from ipcae.training.states.history import History


class Best:
    """A copy of the tensors of every run from the epoch with its lowest validation loss.

    With ``keep_last``, from its last epoch with a finite validation loss.

    Shape: ``losses`` and ``epochs`` (R,); ``params`` as those of the model.
    """

    def __init__(self, params: Params, keep_last: bool = False):
        self.keep_last = keep_last
        self.params = {name: tensor.detach().clone() for name, tensor in params.items()}
        first = next(iter(params.values()))
        self.losses = torch.full((len(first),), math.inf, device=first.device)
        self.epochs = torch.full((len(first),), -1, dtype=torch.long, device=first.device)

    @property
    def loss(self) -> list[float]:
        """The lowest validation loss of every run, or infinity."""
        return self.losses.tolist()

    @property
    def epoch(self) -> list[int]:
        """The epoch of the lowest validation loss of every run, or −1."""
        return self.epochs.tolist()

    def update(self, epoch: int | Tensor, runs: Tensor, losses: Tensor, params: Params) -> None:
        """Store the tensors of the runs whose loss decreased.

        Shape: runs (A,), the indices of the runs in ``losses`` (A,) and ``params``.
        The kernel neither synchronizes nor depends on values, so it can be captured.
        """
        better = losses < (math.inf if self.keep_last else self.losses[runs])
        if kernels_for(losses):
            from ipcae.ops.copy_runs_triton import copy_runs

            number = torch.as_tensor(epoch, dtype=torch.long, device=losses.device)
            sources = [losses, number.expand_as(losses), *(own.detach() for own in params.values())]
            copy_runs(sources, [self.losses, self.epochs, *self.params.values()], better, runs)
            return
        # Few runs improve late in training: copy only those.
        chosen = runs[better]
        self.losses[chosen], self.epochs[chosen] = losses[better], torch.as_tensor(epoch)
        for run, position in zip(chosen.tolist(), better.nonzero().flatten().tolist(), strict=True):
            for name, tensor in params.items():
                self.params[name][run] = tensor.detach()[position]


FINISHED, STOPPED, DIVERGED, INTERRUPTED = "finished", "stopped early", "diverged", "interrupted"


@dataclass(frozen=True)
class Begun:
    """The part of the next epoch that is done before the metrics of the last one are known.

    Shape: losses (A,), summed over the steps of the active runs.
    """

    n_sequences: int
    losses: Tensor


@dataclass
class State:
    """The next epoch, the tensors of the active runs, and the results so far.

    ``active`` contains the indices of the runs that are still trained, in the order of the run
    axis of ``params`` and of the optimizer. ``best``, ``status`` and ``history`` cover all runs.
    """

    params: Params
    optimizer: Adam
    best: Best
    active: list[int]
    status: list[str]
    history: History = field(default_factory=History)
    epoch: int = 0
    seconds: float = 0.0
    begun: Begun | None = None

    @classmethod
    def begin(cls, params: Params, runs: Runs, plan: Plan) -> State:
        """Return the initial state; tensors with ``buffer:`` in their name are not trained."""
        params = {name: _leaf(name, tensor) for name, tensor in params.items()}
        return cls(
            params=params,
            optimizer=Adam(params, runs.learning_rates, plan.weight_decay),
            best=Best(params, plan.keep_last),
            active=list(range(len(runs))),
            status=[FINISHED] * len(runs),
        )

    @property
    def active_runs(self) -> Tensor:
        """The indices of the active runs, on the device of the training. Shape: (A,)."""
        return torch.tensor(self.active, dtype=torch.long, device=self.best.losses.device)

    def keep(self, positions: list[int]) -> None:
        """Keep only the runs at these positions of ``active``."""
        self.active = [self.active[i] for i in positions]
        index = torch.tensor(positions, dtype=torch.long)
        self.params = {
            name: _leaf(name, tensor.detach()[index.to(tensor.device)])
            for name, tensor in self.params.items()
        }
        self.optimizer.keep(index, self.params)
        if self.begun is not None:
            losses = self.begun.losses
            self.begun = replace(self.begun, losses=losses[index.to(losses.device)])


def _leaf(name: str, tensor: Tensor) -> Tensor:
    return tensor.detach().clone().requires_grad_("buffer:" not in name)
