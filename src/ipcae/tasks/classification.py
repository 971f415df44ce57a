"""Classification with one class per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d
from torch import Tensor

from ipcae.decoders import Mlp
from ipcae.errors import InputError, as_input_error
from ipcae.losses import CrossEntropy, Loss
from ipcae.tables import require_same_length
from ipcae.tables.reading import as_array
from ipcae.tasks.base import Metrics, Task, require_target
from ipcae.tasks.head import Head
from ipcae.tasks.multilabel import Multilabel
from ipcae.text import listed, percent


@dataclass(frozen=True, eq=False)
class Classification(Task):
    """Predict the class of a row.

    Shape: classes (C,), sorted; encoded targets (N,), indices into the classes.

    >>> task = Classification.read(["b", "a", "b"], torch.zeros(3, 2))
    >>> task.encode(["b", "a"], torch.zeros(2, 2))
    tensor([1, 0])
    """

    classes: NDArray[Any]

    name: ClassVar[str] = "classification"
    discrete: ClassVar[bool] = True
    decoder = Mlp(hidden=(512,), dropout=0.3)
    losses: ClassVar[dict[str, Loss]] = {"cross_entropy": CrossEntropy()}
    score = "accuracy"
    baseline_name = "the most common class"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Find the classes; return a :class:`Multilabel` task for an indicator matrix."""
        require_target(y, owner, "one class per row")
        y = _checked(y, X, "y")
        if type_of_target(y) == "multilabel-indicator":
            return Multilabel.read(y, X, owner)
        with as_input_error():
            classes = np.unique(column_or_1d(y, warn=True))
        if len(classes) < 2:
            raise InputError(
                f"y has only one class, {classes.tolist()[0]!r}: expected at least two to tell "
                "apart."
            )
        return cls(classes)

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """The number of classes."""
        return len(self.classes)

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return the index of every row's class. Shape: -> (N,)."""
        require_target(y, name, "one class per row")
        y = _checked(y, X, name)
        if type_of_target(y) == "multilabel-indicator":
            raise InputError(
                f"{name} is a matrix of zeros and ones, but y was one class per row: expected one "
                "class per row in both, or a matrix in both."
            )
        with as_input_error():
            labels = column_or_1d(y)
        known = np.isin(labels, self.classes)
        if not known.all():
            unseen = sorted({str(label) for label in labels[~known].tolist()})
            raise InputError(
                f"{name} contains classes that are not in the training target "
                f"({listed(unseen)}): remove those rows."
            )
        return torch.from_numpy(np.searchsorted(self.classes, labels)).to(X.device)

    def known(self, y: Any) -> NDArray[np.bool_]:
        """Return a mask of the rows whose class was seen in ``fit``."""
        return np.isin(np.asarray(as_array(y)).reshape(len(y), -1)[:, 0], self.classes)

    def strata(self, targets: Tensor) -> NDArray[Any]:
        """Stratify by class."""
        return targets.cpu().numpy()

    def answers(self, outputs: Tensor) -> NDArray[Any]:
        """Return the most probable class. Shape: (N, C) -> (N,)."""
        return self.classes[outputs.argmax(-1).numpy()]

    def probabilities(self, outputs: Tensor) -> NDArray[np.float64]:
        """Return the probability of every class. Shape: (N, C) -> (N, C)."""
        return outputs.double().softmax(-1).numpy()

    @property
    def head(self) -> Head:
        """Softmax, then the most probable class."""
        return Head("label", activation="softmax", classes=self.classes)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute accuracy, balanced accuracy and log loss."""
        true, predicted = targets.numpy(), outputs.argmax(-1).numpy()
        probabilities, log_loss = self.probabilities(outputs), float("nan")
        if np.isfinite(probabilities).all():
            log_loss = float(metrics.log_loss(true, probabilities, labels=range(self.n_outputs)))
        return {
            "accuracy": float(metrics.accuracy_score(true, predicted)),
            # balanced_accuracy_score would warn about predicted classes that are not in ``true``.
            "balanced_accuracy": float(
                metrics.recall_score(true, predicted, labels=np.unique(true), average="macro")
            ),
            "log_loss": log_loss,
        }

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the logarithms of the class frequencies."""
        return torch.bincount(targets, minlength=self.n_outputs).double().log()[None]

    @property
    def purpose(self) -> str:
        """Mention the number of classes."""
        return f"to tell {self.n_outputs:,} classes apart"

    def finding(self, score: float) -> str:
        """Mention the percentage of rows that are classified correctly."""
        return f"classifies {percent(score)} correctly"


def _checked(y: Any, X: Tensor, name: str) -> Any:
    y = as_array(y, name)
    require_same_length(X, y, name)
    with as_input_error():
        assert_all_finite(y if hasattr(y, "dtype") else np.asarray(y), input_name=name)
        check_classification_targets(y)
    return y
