"""What a selector is: the part of a model that chooses features."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.runs import Stream
from ipcae.schedules import Progress

Params = dict[str, Tensor]


class Selector(Protocol):
    """Hyper-parameters plus pure functions. ``progress`` in [0, 1] is the part of training done."""

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """The weight of the penalty: for all runs, or one per run."""
        ...

    def init(self, n_nodes: int, selectable: Tensor, stream: Stream) -> Params:
        """Draw the initial tensors. Shape: selectable (D,), which features may be chosen."""
        ...

    def select(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Read the rows; soft and random with a stream, hard without. (B, D) -> (R, B, K)."""
        ...

    def select_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> tuple[Tensor, Tensor | None]:
        """Select, and return the penalty for weight 1, shape (R,), or None where there is none."""
        ...

    def logits(self, params: Params) -> Tensor:
        """Return how much each node favors each feature. Shape: (R, K, D)."""
        ...

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return figures for the history, each of shape (R,)."""
        ...
