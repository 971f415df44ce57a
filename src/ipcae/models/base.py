"""What the trainer trains."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ipcae.runs import Stream
from ipcae.schedules import Progress

Params = dict[str, Tensor]


class Model(Protocol):
    """Hyper-parameters plus pure functions of a dict of named tensors, the run axis first.

    Tensors whose name holds ``buffer:`` are carried along and not trained.
    """

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors."""
        ...

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs, at random only with a stream. Shape: (B, D) -> (R, B, O)."""
        ...

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Predict in training, and return the penalty for weight 1, shape (R,), or None."""
        ...

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Change the tensors in place after an optimizer step, for example to project them.

        Shape: step_size (R,), the learning rate of every run at this moment.
        """
        ...

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return figures for the history, each of shape (R,)."""
        ...


def part(params: Params, name: str) -> Params:
    """Return the tensors of one part of a model, without its name in front.

    >>> part({"decoder.bias": 1, "selector.bias": 2}, "decoder")
    {'bias': 1}
    """
    prefix = name + "."
    return {key.removeprefix(prefix): t for key, t in params.items() if key.startswith(prefix)}


def join(**parts: Params) -> Params:
    """Put the tensors of several parts into one dict: the reverse of :func:`part`.

    >>> join(decoder={"bias": 1})
    {'decoder.bias': 1}
    """
    return {f"{name}.{key}": t for name, params in parts.items() for key, t in params.items()}
