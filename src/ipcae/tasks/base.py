"""What a task is: the part of a problem that depends on what is predicted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ipcae.decoders import Decoder, Mlp
from ipcae.errors import InputError
from ipcae.losses import CustomLoss, Loss
from ipcae.rows import Rows
from ipcae.tables import Scaler
from ipcae.tasks.head import Head
from ipcae.tasks.metrics import METRICS

Metrics = dict[str, float]


class Task(ABC):
    """What is predicted: how its target is read, learned, judged and described.

    A subclass is a frozen dataclass. :meth:`read` makes one from the training target;
    :meth:`fitted` adds what is learned from the training rows.

    Attributes
    ----------
    name : str
        The name by which people ask for the task.
    discrete : bool
        Whether the target is made of classes or labels.
    decoder : Decoder
        The decoder that ``decoder="auto"`` stands for.
    losses : dict of str to Loss
        The losses that can be asked for by name. The first is the default.
    score : str
        The metric that is shown first.
    baseline_name : str
        What the baseline predicts, as in "always the mean".
    n_outputs : int
        The number of outputs of the decoder.
    """

    name: ClassVar[str]
    discrete: ClassVar[bool] = False
    decoder: ClassVar[Decoder] = Mlp(hidden=(512,))
    losses: ClassVar[dict[str, Loss]]
    score: ClassVar[str]
    baseline_name: ClassVar[str]
    n_outputs: int

    # The target.

    @classmethod
    @abstractmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Check the training target and return the task with what it says about itself.

        ``owner`` is the name of the estimator, for error messages.
        """

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return the number of outputs to expect before a target is known."""
        return asked or 1

    @abstractmethod
    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor | None:
        """Check a target and return it as the metrics expect it; None if X is the target."""

    def known(self, y: Any) -> NDArray[np.bool_] | None:
        """Return which rows have a target that the decoder can predict, or None for all."""
        return None

    def fitted(self, training: Rows, scaler: Scaler, loss: Loss) -> Self:
        """Return the task with the scale of its target, learned from the training rows."""
        return self

    def scaled(self, targets: Tensor) -> Tensor:
        """Return encoded targets as the loss expects them."""
        return targets

    def strata(self, targets: Tensor) -> NDArray[Any] | None:
        """Return what a split of the rows should be stratified by."""
        return None

    # Training.

    @property
    def loss(self) -> Loss:
        """The default loss."""
        return next(iter(self.losses.values()))

    def loss_for(self, loss: Any) -> Loss:
        """Turn None, a name, a loss or a function into a loss."""
        if isinstance(loss, type) and hasattr(loss, "per_row"):
            raise InputError(
                f"loss is the class {loss.__name__}: expected an object, such as {loss.__name__}()."
            )
        if loss is None:
            return self.loss
        if isinstance(loss, str):
            if loss in self.losses:
                return self.losses[loss]
        elif hasattr(loss, "per_row"):
            return loss
        elif callable(loss):
            return CustomLoss(loss)
        names = "".join(f"{name!r}, " for name in self.losses)
        raise InputError(
            f"loss={loss!r} is not understood: expected None, {names}a loss such as Huber(0.5), "
            "or a function of outputs (runs, rows, outputs) and targets that returns (runs, rows)."
        )

    # Answers. Outputs are the decoder's, in float64 and on the CPU.

    @abstractmethod
    def answers(self, outputs: Tensor) -> NDArray[Any]:
        """Turn outputs into what ``predict`` returns. Shape: (N, O) -> (N,) or (N, O)."""

    @property
    @abstractmethod
    def head(self) -> Head:
        """The last step of an exported network."""

    # Judging. Targets are as :meth:`encode` returns them, or X itself.

    @abstractmethod
    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compare outputs with targets. Shape: (N, O), (N, ...) -> names of :data:`METRICS`."""

    @abstractmethod
    def baseline(self, targets: Tensor) -> Tensor:
        """Return the outputs of the best constant prediction for targets. Shape: -> (1, O)."""

    # Words.

    @property
    @abstractmethod
    def purpose(self) -> str:
        """What the features are selected for, as in "to tell 3 classes apart"."""

    @abstractmethod
    def finding(self, score: float) -> str:
        """Say what a value of the first metric means, as in "explains 91 % of the variance"."""

    @property
    def score_label(self) -> str:
        """The name of the first metric."""
        return METRICS[self.score].label

    def write_score(self, value: float) -> str:
        """Write a value of the first metric."""
        return METRICS[self.score].write(value)


def require_target(y: Any, owner: str, expected: str) -> None:
    """Raise an error if there is no target."""
    if y is None:
        raise InputError(
            f"{owner} requires y to be passed, but the target y is None: give {expected}."
        )
