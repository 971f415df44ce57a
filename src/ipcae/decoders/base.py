"""The interface of a decoder."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.runs import Stream

Params = dict[str, Tensor]


class Decoder(Protocol):
    """A map from the selected values to the outputs."""

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, the run axis first."""
        ...

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Decode, with dropout if a stream is given. Shape: (R, B, K) -> (R, B, O)."""
        ...
