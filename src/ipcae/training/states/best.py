"""The best state of every run so far."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ipcae.models import Params
from ipcae.ops.dispatch import kernels_for


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
