"""The result of a training."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from ipcae.models import Params
from ipcae.training.states.history import History
from ipcae.training.states.state import DIVERGED, FINISHED, INTERRUPTED


@dataclass(frozen=True)
class Fit:
    """The result of a training.

    Attributes
    ----------
    params : dict of str to Tensor
        The best state of every run, the run axis first.
    best_loss, best_epoch : list
        Lowest validation loss of every run, and its epoch; infinity and −1 if no validation loss
        was finite.
    status : list of str
        How every run ended: finished, stopped early, diverged or interrupted.
    history : History
    seconds : float
    """

    params: Params
    best_loss: list[float]
    best_epoch: list[int]
    status: list[str]
    history: History
    seconds: float

    def of_runs(self, runs: list[int]) -> Fit:
        """Return the result of some runs, renumbered in this order."""
        return Fit(
            params={name: tensor[runs] for name, tensor in self.params.items()},
            best_loss=[self.best_loss[run] for run in runs],
            best_epoch=[self.best_epoch[run] for run in runs],
            status=[self.status[run] for run in runs],
            history=self.history.of_runs(runs),
            seconds=self.seconds,
        )

    def followed_by(self, later: Fit) -> Fit:
        """Return the result of this phase and a later one; a run must be usable in both."""
        history = History()
        history.extend(self.history)
        history.extend(later.history)
        status = [
            after if before == FINISHED else before
            for before, after in zip(self.status, later.status, strict=True)
        ]
        best_loss = [
            math.inf if not math.isfinite(before) or (epoch < 0 and state == DIVERGED) else after
            for before, after, epoch, state in zip(
                self.best_loss, later.best_loss, later.best_epoch, later.status, strict=True
            )
        ]
        return Fit(
            params=later.params,
            best_loss=best_loss,
            best_epoch=self.best_epoch,
            status=status,
            history=history,
            seconds=self.seconds + later.seconds,
        )


def untrained(n_runs: int, seconds: float = 0.0) -> Fit:
    """Return the result of a phase without epochs."""
    return Fit(
        params={},
        best_loss=[0.0] * n_runs,
        best_epoch=[-1] * n_runs,
        status=[FINISHED] * n_runs,
        history=History(),
        seconds=seconds,
    )


def left_out(fit: Fit, runs: list[int]) -> Fit:
    """Return an interrupted phase whose result cannot be used for these runs."""
    losses = [math.inf if run in runs else loss for run, loss in enumerate(fit.best_loss)]
    return replace(fit, best_loss=losses, status=[INTERRUPTED] * len(losses))


def joined_fits(fits: list[Fit], parts: list[list[int]]) -> Fit:
    """Return the result of all runs, given those of parts of them."""
    history = History()
    for fit, runs in zip(fits, parts, strict=True):
        history.add_runs(fit.history, runs)
    history.sort()
    together = Fit(
        params={name: torch.cat([fit.params[name] for fit in fits]) for name in fits[0].params},
        best_loss=[loss for fit in fits for loss in fit.best_loss],
        best_epoch=[epoch for fit in fits for epoch in fit.best_epoch],
        status=[status for fit in fits for status in fit.status],
        history=History(),
        seconds=max(fit.seconds for fit in fits),
    )
    runs = [run for part in parts for run in part]
    return replace(together.of_runs([runs.index(run) for run in range(len(runs))]), history=history)
