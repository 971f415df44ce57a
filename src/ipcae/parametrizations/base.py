"""The interface of a parametrization."""

from __future__ import annotations

import logging
import operator
from typing import Protocol

from torch import Tensor

from ipcae.errors import invalid_argument
from ipcae.runs import Stream


class Parametrization(Protocol):
    """A map from learned tensors to the logits of the nodes."""

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Draw the initial tensors, the run axis first."""
        ...

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Map the tensors to log α of shape (R, K, D)."""
        ...


AUTO_SIZE = 128
logger = logging.getLogger("ipcae")


def embedding_size(size: int | str, n_features: int) -> int:
    """Return P: ``size``, D for ``"features"``, or min(D, 128) for ``"auto"``.

    On the data sets of the paper, P = 128 selects as well as P = D (benchmarks/recipe.csv) at a
    lower cost.

    >>> embedding_size("auto", 617), embedding_size("features", 617), embedding_size(64, 617)
    (128, 617, 64)
    """
    if size == "auto":
        if n_features > AUTO_SIZE:
            message = "The embedding has P = %d for D = %d features; use size='features' for P = D."
            logger.info(message, AUTO_SIZE, n_features)
        return min(n_features, AUTO_SIZE)
    if size == "features":
        return n_features
    if isinstance(size, bool | str) or not hasattr(size, "__index__") or size < 1:
        raise invalid_argument("size", size, "a positive integer, 'features' or 'auto'")
    return operator.index(size)


def linear_init(stream: Stream, n_inputs: int, *shape: int) -> Tensor:
    """Initialize as PyTorch's ``Linear``: uniform in ±1/√n_inputs."""
    return stream.uniform(*shape).mul_(2).sub_(1).mul_(n_inputs**-0.5)
