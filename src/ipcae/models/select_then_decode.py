"""The concrete autoencoder: a selector, then a decoder, trained together."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from ipcae.decoders import Decoder
from ipcae.models.base import Params, join, part
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selectors import Selector


@dataclass(frozen=True)
class SelectThenDecode:
    """K nodes read the row, the decoder makes the outputs of what they read.

    Examples
    --------
    >>> from ipcae.decoders import Mlp
    >>> from ipcae.selectors import Concrete
    >>> model = SelectThenDecode(Concrete(), Mlp(), n_features=8, n_selected=3, n_outputs=2)
    >>> params = model.init(Stream([0]))
    >>> model.predict(params, torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    selector: Selector
    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    excluded: tuple[int, ...] = field(default=(), repr=False)

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors of both parts."""
        selectable = torch.ones(self.n_features, dtype=torch.bool)
        selectable[list(self.excluded)] = False
        return join(
            selector=self.selector.init(self.n_selected, selectable, stream),
            decoder=self.decoder.init(self.n_selected, self.n_outputs, stream),
        )

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Shape: rows (B, D) -> (R, B, O)."""
        selected = self.selector.select(part(params, "selector"), rows, progress, stream)
        return self.decoder.apply(part(params, "decoder"), selected, stream)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Shape: rows (B, D) -> (R, B, O), (R,)."""
        own = part(params, "selector")
        selected, penalty = self.selector.select_with_penalty(own, rows, progress, stream)
        return self.decoder.apply(part(params, "decoder"), selected, stream), penalty

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Nothing to project."""

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the selector's figures."""
        return self.selector.describe(part(params, "selector"), progress)

    def logits(self, params: Params) -> Tensor:
        """Return how much each node favors each feature. Shape: (R, K, D)."""
        return self.selector.logits(part(params, "selector"))
