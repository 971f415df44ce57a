"""Arguments and tile sizes shared by the two kernel families of the selection."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.kernel_launch import next_power_of_2
from ipcae.runs.philox_counter import PhiloxCounter

PROGRAMS = 264  # two per multiprocessor of a large GPU


@dataclass(frozen=True)
class KernelCall:
    """The arguments of a selection, whose rows share n draws of noise in groups.

    Shape: logits (R, K, D); rows (B, D); temperature ().
    """

    logits: Tensor
    rows: Tensor
    temperature: Tensor
    counter: PhiloxCounter
    n_draws: int
    group: int
    hard: bool
    precision: str

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """R, B, K, D."""
        n_runs, n_nodes, n_features = self.logits.shape
        return n_runs, len(self.rows), n_nodes, n_features

    def winners(self, *shape: int) -> Tensor:
        """Return a tensor for the selected features, which kernels write only if ``hard``."""
        device = self.logits.device
        if not self.hard:
            return torch.empty(1, dtype=torch.int32, device=device)
        # Zeros are valid features: while kernels are only compiled, nothing writes to it.
        return torch.zeros(shape, dtype=torch.int32, device=device)


def block(n_features: int, largest: int) -> int:
    """Return a block size that wastes little of the last block."""
    return min(largest, max(32, next_power_of_2(n_features)))
