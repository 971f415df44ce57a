"""What a parametrization is: learned tensors, and the map from them to the nodes' logits."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.runs import Stream


class Parametrization(Protocol):
    """Hyper-parameters plus two pure functions."""

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Draw the initial tensors, each with the run as its first axis."""
        ...

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Map the tensors to log α of shape (R, K, D)."""
        ...


def linear_init(stream: Stream, n_inputs: int, *shape: int) -> Tensor:
    """Draw as PyTorch's ``Linear`` does: uniform in ±1/√(number of inputs)."""
    return stream.uniform(*shape).mul_(2).sub_(1).mul_(n_inputs**-0.5)
