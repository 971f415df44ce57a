"""What a screen is: a method whose network reads all features and learns which to drop."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.runs import Stream
from ipcae.schedules import Progress

Params = dict[str, Tensor]


class Screen(Protocol):
    """Hyper-parameters plus pure functions. New decoders are trained on the K best features."""

    @property
    def penalty_weights(self) -> tuple[float, ...]:
        """The weights λ to search, in units of the loss of a constant prediction.

        Every run is trained with each of them, and takes what leaves nearest to K features open.
        """
        ...

    def n_epochs(self, max_epochs: int) -> int:
        """Return the epochs of screening, where decoders are trained for ``max_epochs``."""
        ...

    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, the run axis first.

        Shape: size_of (D,), the root mean square of every feature.
        """
        ...

    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Map rows to outputs, at random only with a stream. Shape: (B, D) -> (R, B, O)."""
        ...

    def penalty(self, params: Params) -> Tensor | None:
        """Return the penalty for weight 1, shape (R,), or None."""
        ...

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Change the tensors in place after an optimizer step. Shape: step_size (R,)."""
        ...

    def is_open(self, params: Params) -> Tensor:
        """Return which features the network reads. Shape: -> (R, D), bool."""
        ...

    def scores(self, params: Params) -> Tensor:
        """Return a number that is larger for stronger features. Shape: -> (R, D)."""
        ...

    def probability(self, params: Params) -> Tensor:
        """Return the strength of every feature from 0 to 1. Shape: -> (R, D)."""
        ...
