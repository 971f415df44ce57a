"""The model of a screening method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ipcae.models import Params
from ipcae.runs import Stream
from ipcae.schedules import Progress

if TYPE_CHECKING:
    from ipcae.selectors.screening import Screen


@dataclass(frozen=True)
class ScreeningModel:
    """A screening network for given numbers of features and outputs.

    ``sizes`` are the root mean squares of the features in the training rows, and ``kept`` the
    features that are never dropped.

    Examples
    --------
    >>> from ipcae.selectors import StochasticGates
    >>> model = ScreeningModel(StochasticGates(), sizes=(1.0,) * 8, n_outputs=2)
    >>> model.predict(model.init(Stream([0])), torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    screen: Screen
    sizes: tuple[float, ...] = field(repr=False)
    n_outputs: int
    kept: tuple[int, ...] = ()

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors."""
        params = self.screen.init(torch.tensor(self.sizes), self.n_outputs, stream)
        if self.kept:
            self.screen.keep_open(params, list(self.kept))
        return params

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        return self.screen.predict(params, rows, progress, stream)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Return outputs and penalty. Shape: rows (B, D) -> (R, B, O), (R,)."""
        return self.predict(params, rows, progress, stream), self.screen.penalty(params)

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Call the network's :meth:`after_step`, which may drop features."""
        self.screen.after_step(params, progress, step_size)

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the number of open features."""
        n_open = self.screen.is_open(params).sum(-1)
        return {"open_features": n_open.to(next(iter(params.values())).dtype)}
