"""A screen in training: its method, for a number of features and outputs."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from ipcae.models.base import Params
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selectors import Screen


@dataclass(frozen=True)
class Screening:
    """The five verbs of a model, for a :class:`Screen` that reads all D features.

    ``sizes`` are the root mean squares of the features in the training rows.

    Examples
    --------
    >>> from ipcae.selectors import StochasticGates
    >>> model = Screening(StochasticGates(), sizes=(1.0,) * 8, n_outputs=2)
    >>> model.predict(model.init(Stream([0])), torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    screen: Screen
    sizes: tuple[float, ...] = field(repr=False)
    n_outputs: int

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors."""
        return self.screen.init(torch.tensor(self.sizes), self.n_outputs, stream)

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Shape: rows (B, D) -> (R, B, O)."""
        return self.screen.predict(params, rows, progress, stream)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Shape: rows (B, D) -> (R, B, O), (R,)."""
        return self.predict(params, rows, progress, stream), self.screen.penalty(params)

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Let the screen drop features."""
        self.screen.after_step(params, progress, step_size)

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return how many features are still read."""
        n_open = self.screen.is_open(params).sum(-1)
        return {"open_features": n_open.to(next(iter(params.values())).dtype)}
