"""The best state of every run so far."""

from __future__ import annotations

import math

import torch
from torch import Tensor

Params = dict[str, Tensor]


class Best:
    """A copy of every run's tensors from the epoch with its lowest validation loss."""

    def __init__(self, params: Params):
        self.params = {name: tensor.detach().clone() for name, tensor in params.items()}
        n_runs = len(next(iter(params.values())))
        self.loss = [math.inf] * n_runs
        self.epoch = [-1] * n_runs

    def update(self, epoch: int, runs: list[int], losses: list[float], params: Params) -> None:
        """Keep the tensors of the runs whose loss fell; ``params`` holds these runs, in order."""
        better = [i for i, run in enumerate(runs) if losses[i] < self.loss[run]]
        if not better:
            return
        for i in better:
            self.loss[runs[i]] = losses[i]
            self.epoch[runs[i]] = epoch
        for name, tensor in params.items():
            kept = self.params[name]
            if len(better) == len(kept):
                kept.copy_(tensor.detach())
                continue
            target = torch.tensor([runs[i] for i in better], device=kept.device)
            kept[target] = tensor.detach()[better]
