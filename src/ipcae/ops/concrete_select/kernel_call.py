"""What a selection on a GPU is asked for, and what its two families of kernels share."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
from torch import Tensor

from ipcae.runs.stream import PhiloxCounter

PROGRAMS = 264  # two for every multiprocessor of the largest GPUs


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
        """Return where the kernels write the chosen features, if anyone asks for them."""
        device = self.logits.device
        if not self.hard:
            return torch.empty(1, dtype=torch.int32, device=device)
        # Zeros: where nothing is started, while kernels are compiled, they are read all the same.
        return torch.zeros(shape, dtype=torch.int32, device=device)


def block(n_features: int, largest: int) -> int:
    """Return the block that wastes little of its last step."""
    return min(largest, max(32, triton.next_power_of_2(n_features)))
