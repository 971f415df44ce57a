"""Where a training stands: all that is needed to continue it."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from ipcae.runs import Runs
from ipcae.training.best import Best
from ipcae.training.history import History
from ipcae.training.optimizer import Adam
from ipcae.training.plan import Plan

Params = dict[str, Tensor]

FINISHED, STOPPED, DIVERGED, INTERRUPTED = "finished", "stopped early", "diverged", "interrupted"


@dataclass
class State:
    """The next epoch, the tensors of the active runs, and what was found so far.

    ``active`` holds the numbers of the runs that still train; the run axis of ``params`` and of
    the optimizer follows it. ``best``, ``status`` and ``history`` speak of all runs.
    """

    params: Params
    optimizer: Adam
    best: Best
    active: list[int]
    status: list[str]
    history: History = field(default_factory=History)
    epoch: int = 0
    seconds: float = 0.0

    @classmethod
    def begin(cls, params: Params, runs: Runs, plan: Plan) -> State:
        """Start with these tensors; those named ``buffer:`` are not trained."""
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
        """The numbers of the active runs, where the other tensors are. Shape: (A,)."""
        return torch.tensor(self.active, dtype=torch.long, device=self.best.losses.device)

    def keep(self, positions: list[int]) -> None:
        """Let all runs go but those at these positions of ``active``."""
        self.active = [self.active[i] for i in positions]
        index = torch.tensor(positions, dtype=torch.long)
        self.params = {
            name: _leaf(name, tensor.detach()[index.to(tensor.device)])
            for name, tensor in self.params.items()
        }
        self.optimizer.keep(index, self.params)


def _leaf(name: str, tensor: Tensor) -> Tensor:
    return tensor.detach().clone().requires_grad_("buffer:" not in name)
