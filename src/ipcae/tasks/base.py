"""The interface of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Booleans, Floats
from ipcae.decoders import Decoder, Mlp
from ipcae.errors import InputError, invalid_argument, refuse_class
from ipcae.losses import CustomLoss, Loss
from ipcae.rows import Rows
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks.head import Head
from ipcae.tasks.metrics import METRICS
from ipcae.tasks.ranks import standard_ranks

Metrics = dict[str, float]


class Task(ABC):
    """What is predicted: how the target is encoded, learned, evaluated and described.

    A subclass is a frozen dataclass. :meth:`read` creates the task from the training target;
    :meth:`fitted` adds what depends on the training rows.

    Attributes
    ----------
    name : str
        Name of the task.
    discrete : bool
        Whether the target consists of classes or labels.
    supervised : bool
        Whether there is a target besides X.
    censored : bool
        Whether the target consists of times that may be censored, and events.
    columns_follow : bool
        Whether the targets of the loss are the encoded ones followed by the columns of X. If rows
        are read in parts, :meth:`encode` leaves the columns out.
    restores_rows : bool
        Whether the targets of the loss are those that :meth:`encode` computes from the rows of X,
        as for counts. If rows are read in parts, they are computed for every batch.
    binary_inputs : bool
        Whether the network reads whether a value is above zero, instead of the value.
    adaptive : bool
        Whether ``decoder="auto"`` is adapted to correlated columns, with few rows
        (:mod:`ipcae.training.choices.adapting`).
    decoder : Decoder
        The decoder for ``decoder="auto"``.
    small_decoder : Decoder or None
        The decoder for ``decoder="auto"`` and a table of fewer than 300 rows, if it differs.
    tall_decoder : Decoder or None
        The decoder for ``decoder="auto"`` and a table of 5,000 rows or more and up to 200
        columns, if 60 epochs are enough for it. A network that selects among all columns needs
        more.
    large_decoder : Decoder or None
        The decoder for ``decoder="auto"`` and a table of 20,000 rows or more, if it differs. With
        it, fewer epochs are enough.
    losses : dict of str to Loss
        The losses by name. The first is the default.
    score : str
        Name of the main metric, which may depend on the training target.
    baseline_name : str
        What the baseline predicts, such as "the mean".
    n_outputs : int
        Number of outputs of the decoder.

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.
    losses.CrossEntropy : A loss, as a task names them.

    Examples
    --------
    >>> from ipcae.tasks import Classification
    >>> task = Classification(np.array(["low", "high"]))
    >>> task.n_outputs, task.score
    (2, 'accuracy')
    """

    name: ClassVar[str]
    discrete: ClassVar[bool] = False
    supervised: ClassVar[bool] = True
    censored: ClassVar[bool] = False
    columns_follow: ClassVar[bool] = False
    restores_rows: ClassVar[bool] = False
    binary_inputs: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    decoder: ClassVar[Decoder] = Mlp(hidden=(512,))
    small_decoder: ClassVar[Decoder | None] = None
    tall_decoder: ClassVar[Decoder | None] = None
    large_decoder: ClassVar[Decoder | None] = None
    losses: ClassVar[dict[str, Loss]]
    score: str
    baseline_name: ClassVar[str]
    n_outputs: int

    # The target.

    @classmethod
    @abstractmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Check the training target and create the task from it.

        ``owner`` is the name of the estimator, for error messages.
        """

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return the expected number of outputs, before the target is known."""
        return asked or 1

    @classmethod
    def split_labels(cls, y: Any) -> NDArray[Any] | None:
        """Return labels to stratify a split of targets by that are not encoded yet, or None."""
        return y if cls.discrete else None

    @abstractmethod
    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor | None:
        """Check and encode a target for :meth:`metrics`; return None if X is the target."""

    def known(self, y: Any) -> Booleans | None:
        """Return a mask of the rows whose target the decoder can predict, or None for all."""
        return None

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Return the task with the scale of the target, computed from the training rows."""
        return self

    def calibrated(self, outputs: Callable[[], Tensor], training: Rows) -> Self:
        """Return the task with what depends on the trained decoders, such as a baseline hazard.

        ``outputs`` computes the outputs for the training rows, of shape (R, N, O).
        """
        return self

    def solves(self, loss: Loss) -> bool:
        """Return whether linear decoders are computed (:meth:`linear_solution`), not trained."""
        return False

    def linear_solution(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Return the weights and the bias of the best linear decoder.

        Shape: inputs (N, K) -> (O, K), (O,).
        """
        raise NotImplementedError

    def scaled(self, targets: Tensor) -> Tensor:
        """Scale encoded targets for the loss."""
        return targets

    def restored(self, rows: Tensor) -> Tensor:
        """Return the scaled targets of rows of X, with ``restores_rows``."""
        targets = self.encode(None, rows)
        assert targets is not None
        return self.scaled(targets)

    def ranking_targets(self, targets: Tensor) -> Tensor:
        """Return the part of encoded or scaled targets that rankings and checks compare with."""
        return targets

    def compared_targets(self, targets: Tensor) -> Tensor:
        """Return the classes or numbers that decoders are compared by (:func:`adaptations`)."""
        return self.ranking_targets(targets)

    def columns_weight(self, loss: Loss) -> float:
        """Return the weight of the reconstruction of all columns relative to the targets."""
        return 0.0

    def strata(self, targets: Tensor) -> NDArray[Any] | None:
        """Return the labels to stratify a split by, or None."""
        return None

    # Training.

    @property
    def loss(self) -> Loss:
        """The default loss."""
        return next(iter(self.losses.values()))

    def loss_for(self, loss: Any) -> Loss:
        """Turn None, a name, a loss or a function into a loss."""
        refuse_class("loss", loss, "per_row")
        if loss is None:
            return self.loss
        if isinstance(loss, str):
            if loss in self.losses:
                return self.losses[loss]
        elif hasattr(loss, "per_row"):
            return loss
        elif isinstance(loss, torch.nn.Module) and hasattr(loss, "reduction"):
            raise InputError(
                f"loss={loss!r} of PyTorch knows neither runs nor sample weights: expected None, "
                f"which is {type(self.loss).__name__}(), or a function of outputs of shape (runs, "
                "rows, outputs) and targets that returns losses of shape (runs, rows)."
            )
        elif callable(loss) and not isinstance(loss, type):
            return CustomLoss(loss)
        names = "".join(f"{name!r}, " for name in self.losses)
        raise invalid_argument(
            "loss",
            loss,
            f"None, {names}a loss such as Huber(0.5), or a function of outputs of shape (runs, "
            "rows, outputs) and targets that returns losses of shape (runs, rows)",
        )

    # Prediction. Outputs are those of the decoder, in float64 and on the CPU.

    @abstractmethod
    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Convert outputs to the result of ``predict``. Shape: (N, O) -> (N,) or (N, O)."""

    @property
    @abstractmethod
    def head(self) -> Head:
        """The last step of an exported network."""

    # Evaluation. Targets are encoded by :meth:`encode`, or X itself.

    @abstractmethod
    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute the metrics, by their names in :data:`METRICS`. Shape: (N, O), (N, ...)."""

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute :meth:`metrics` for resamples of the rows, for confidence intervals.

        A subclass may override this with a faster version, such as those of
        :mod:`ipcae.tasks.resampling`.

        Shape: counts (B, N), how often a resample contains each row -> (B,) for every metric.
        """
        rows = [torch.from_numpy(np.repeat(np.arange(len(c)), c.astype(int))) for c in counts]
        values = [self.metrics(outputs[which], targets[which]) for which in rows]
        return {name: np.array([value[name] for value in values]) for name in values[0]}

    def effective_sizes(self, targets: Tensor) -> dict[str, float]:
        """Return how many rows metrics between 0 and 1 are worth, if not as many as there are.

        With rare classes, that is far fewer; see :mod:`ipcae.tasks.effective_sizes`. Confidence
        intervals are at least as wide as that of a proportion of that many rows.
        """
        return {}

    @abstractmethod
    def baseline(self, targets: Tensor) -> Tensor:
        """Return the outputs of the best constant prediction of the targets. Shape: -> (1, O)."""

    def association(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return scores of the outputs and of the targets, whose products add up to a measure.

        The sum over the rows of predicted · true is larger, the better the outputs fit the
        targets. :func:`ipcae.evaluation.chance_test` compares it with permuted targets. By
        default, both are the ranks within a column.

        Shape: (N, O), (N, ...) -> (N, Q), (N, Q).
        """
        true = targets.double().numpy().reshape(len(targets), -1)
        if true.shape != outputs.shape:
            raise InputError(
                f"{type(self).__name__} does not define association(): predictions cannot be "
                "compared with chance."
            )
        return standard_ranks(outputs.double().numpy()), standard_ranks(true)

    def breakdown(self, outputs: Tensor, targets: Tensor) -> dict[str, Any]:
        """Return further results for ``metrics.json``, such as a confusion matrix."""
        return {}

    def groups(self, targets: Tensor) -> dict[str, Booleans]:
        """Return masks of groups of rows to look at one by one, such as classes, by name."""
        return {}

    def cautions(self, targets: Tensor) -> list[str]:
        """Return sentences about what cannot be evaluated because there are too few targets."""
        return []

    # Wording.

    @property
    @abstractmethod
    def purpose(self) -> str:
        """What the features are selected for, such as "to distinguish 3 classes"."""

    @abstractmethod
    def finding(self, score: float) -> str:
        """Describe a value of the main metric, such as "explains 91 % of the variance"."""

    @property
    def selector_score(self) -> str:
        """Name of the metric that ``score`` of a selector returns."""
        return self.score

    @property
    def score_label(self) -> str:
        """Label of the main metric."""
        return METRICS[self.score].label

    def write_score(self, value: float) -> str:
        """Format a value of the main metric."""
        return METRICS[self.score].write(value)
