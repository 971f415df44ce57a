"""The state of a training: everything needed to resume it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ipcae.models import Params
from ipcae.runs import Runs
from ipcae.training.adam import Adam
from ipcae.training.plan import Plan
from ipcae.training.states.best import Best
from ipcae.training.states.history import History

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
