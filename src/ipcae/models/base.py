"""The interface of a model."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.decoders import Params
from ipcae.runs import Stream
from ipcae.schedules import Progress


class Model(Protocol):
    """Hyper-parameters plus pure functions of a dict of named tensors, the run axis first.

    Tensors with ``buffer:`` in their name are not trained. A model may have a method
    ``settled(metrics)`` that returns, from the metrics of an epoch, whether the selection of every
    run will not change any more; only then does a run of ``early_stopping="auto"`` stop.
    """

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors."""
        ...

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs, with noise if a stream is given. Shape: (B, D) -> (R, B, O)."""
        ...

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Return the outputs in training, and the penalty for weight 1, of shape (R,), or None."""
        ...

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Modify the tensors in place after an optimizer step, for example to project them.

        Shape: step_size (R,), the current learning rate of every run.
        """
        ...

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return metrics to record, each of shape (R,)."""
        ...


def part(params: Params, name: str) -> Params:
    """Return the tensors of one part of a model, without the prefix of their names.

    >>> part({"decoder.bias": 1, "selector.bias": 2}, "decoder")
    {'bias': 1}
    """
    prefix = name + "."
    return {key.removeprefix(prefix): t for key, t in params.items() if key.startswith(prefix)}


def join(**parts: Params) -> Params:
    """Merge the tensors of several parts into one dict, the inverse of :func:`part`.

    >>> join(decoder={"bias": 1})
    {'decoder.bias': 1}
    """
    return {f"{name}.{key}": t for name, params in parts.items() for key, t in params.items()}
