"""Classification with one class per row."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d
from torch import Tensor

from ipcae.arrays import Booleans, Floats
from ipcae.decoders import Mlp
from ipcae.errors import InputError, as_input_error
from ipcae.losses import CrossEntropy, Loss
from ipcae.tables import require_same_length
from ipcae.tables.tensors import as_array
from ipcae.tasks import resampling
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.effective_sizes import size_of_mean_auc, size_of_mean_recall
from ipcae.tasks.given_targets import (
    labels_of,
    require_no_gaps,
    require_target,
    warn_of_one_hot_classes,
)
from ipcae.tasks.head import Head
from ipcae.tasks.multilabel import Multilabel
from ipcae.tasks.ranks import membership_scores
from ipcae.text import listed, percent

IMBALANCE = 3
"""How many times as frequent as another a class is in an imbalanced target."""
FEWEST_ROWS = 5
"""The smallest number of rows needed to evaluate a class."""
MOST_CLASSES = 100
"""The largest number of classes of a confusion matrix in ``metrics.json``."""


@dataclass(frozen=True, eq=False)
class Classification(Task):
    """Predict the class of a row.

    If the training target is ``imbalanced``, some class at least :data:`IMBALANCE` times as
    frequent as another, the main metric is the ROC AUC for two classes, since a useful model may
    never predict the rare one, and balanced accuracy for more.

    Shape: classes (C,), sorted; encoded targets (N,), indices into the classes.

    >>> task = Classification.read(["b", "a", "b"], torch.zeros(3, 2))
    >>> task.encode(["b", "a"], torch.zeros(2, 2))
    tensor([1, 0])
    """

    classes: NDArray[Any]
    imbalanced: bool = False

    name: ClassVar[str] = "classification"
    discrete: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True
    decoder = Mlp(hidden=(512, 512), dropout=0.3, noise=0.2, mixup=0.2)
    small_decoder = Mlp(hidden=(128, 128), dropout=0.3, noise=0.2)
    tall_decoder = Mlp(hidden=(256, 256), dropout=0.1, noise=0.2)
    large_decoder = Mlp(hidden=(512, 512), dropout=0.1, noise=0.2)
    losses: ClassVar[dict[str, Loss]] = {"cross_entropy": CrossEntropy()}
    baseline_name = "the most common class"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Find the classes; return a :class:`Multilabel` task for an indicator matrix."""
        require_target(y, owner, "one class per row")
        y = _checked(y, X, "y")
        if type_of_target(y) == "multilabel-indicator":
            warn_of_one_hot_classes(y)
            return Multilabel.read(y, X, owner)
        with as_input_error():
            classes, counts = np.unique(column_or_1d(y, warn=True), return_counts=True)
        if len(classes) < 2:
            raise InputError(
                f"y has only one class, {classes.tolist()[0]!r}: expected at least two."
            )
        return cls(classes, bool(counts.max() >= IMBALANCE * counts.min()))

    @property
    def score(self) -> str:  # type: ignore[override]
        """Accuracy, or ROC AUC or balanced accuracy if the training target is imbalanced."""
        if not self.imbalanced:
            return "accuracy"
        return "roc_auc" if self.n_outputs == 2 else "balanced_accuracy"

    @property
    def selector_score(self) -> str:
        """Accuracy, as for every scikit-learn classifier."""
        return "accuracy"

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """The number of classes."""
        return len(self.classes)

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return the index of every row's class. Shape: -> (N,)."""
        require_target(y, name, "one class per row")
        with warnings.catch_warnings():
            # In a few rows, every class may be rare.
            warnings.filterwarnings("ignore", "The number of unique classes")
            y = _checked(y, X, name)
            kind = type_of_target(y)
        if kind == "multilabel-indicator":
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

    def known(self, y: Any) -> Booleans:
        """Return a mask of the rows whose class was seen in ``fit``."""
        return np.isin(np.asarray(as_array(y)).reshape(len(y), -1)[:, 0], self.classes)

    def strata(self, targets: Tensor) -> NDArray[Any]:
        """Stratify by class."""
        return targets.cpu().numpy()

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the most probable class. Shape: (N, C) -> (N,)."""
        return self.classes[outputs.argmax(-1).numpy()]

    def probabilities(self, outputs: Tensor) -> Floats:
        """Return the probability of every class. Shape: (N, C) -> (N, C)."""
        return outputs.double().softmax(-1).numpy()

    @property
    def head(self) -> Head:
        """Softmax, then the most probable class."""
        return Head("label", activation="softmax", classes=self.classes)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute accuracy, balanced accuracy, one-vs-rest ROC AUC, log loss and Brier score.

        The main metric comes first. Classes without rows do not count in balanced accuracy and
        ROC AUC.
        """
        values = resampling.of_all_rows(partial(self.resampled, outputs, targets), len(targets))
        if not np.isfinite(self.probabilities(outputs)).all():
            values |= dict.fromkeys(("roc_auc", "log_loss", "brier_score"), float("nan"))
        return {self.score: values[self.score], **values}

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        true, probabilities = targets.numpy(), self.probabilities(outputs)
        members = true[:, None] == np.arange(self.n_outputs)
        correct = outputs.argmax(-1).numpy() == true
        smallest = np.finfo(np.float64).eps
        losses = -np.log(np.clip(probabilities[members], smallest, 1.0))
        squares = np.square(probabilities - members).sum(1)
        return {
            "accuracy": resampling.mean_of_rows(correct.astype(np.float64), counts),
            "balanced_accuracy": resampling.macro_recall(correct, members, counts),
            "roc_auc": resampling.macro_auc(probabilities, members, counts),
            "log_loss": resampling.mean_of_rows(losses, counts),
            "brier_score": resampling.mean_of_rows(
                squares / 2 if self.n_outputs == 2 else squares, counts
            ),
        }

    def effective_sizes(self, targets: Tensor) -> dict[str, float]:
        """Return those of the metrics that are means over the classes."""
        members = targets.numpy()[:, None] == np.arange(self.n_outputs)
        # The areas of two classes are equal.
        areas = members[:, 1:] if self.n_outputs == 2 else members
        return {
            "balanced_accuracy": size_of_mean_recall(members),
            "roc_auc": size_of_mean_auc(areas),
        }

    def association(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return scores whose products add up to the ROC AUC of each class against the rest."""
        members = targets.numpy()[:, None] == np.arange(self.n_outputs)
        return rankdata(self.probabilities(outputs), axis=0), membership_scores(members)

    def breakdown(self, outputs: Tensor, targets: Tensor) -> dict[str, Any]:
        """Return the confusion matrix and the calibration curve."""
        probabilities = self.probabilities(outputs)
        if not np.isfinite(probabilities).all():
            return {}
        true, predicted = targets.numpy(), outputs.argmax(-1).numpy()
        cells = np.bincount(true * self.n_outputs + predicted, minlength=self.n_outputs**2)
        counts = cells.reshape(self.n_outputs, self.n_outputs)
        curve = calibration(probabilities.max(1), predicted == true)
        return {
            "classes": self.classes.tolist(),
            # True classes are rows, predicted classes are columns.
            "confusion_matrix": counts.tolist() if len(counts) <= MOST_CLASSES else None,
            "calibration": {name: values.tolist() for name, values in curve.items()},
        }

    def groups(self, targets: Tensor) -> dict[str, Booleans]:
        """Return the rows of every class."""
        true = targets.numpy()
        return {str(label): true == c for c, label in enumerate(self.classes.tolist())}

    def cautions(self, targets: Tensor) -> list[str]:
        """Name the classes with fewer than :data:`FEWEST_ROWS` rows."""
        counts = np.bincount(targets.numpy(), minlength=self.n_outputs)
        rare = np.flatnonzero(counts < FEWEST_ROWS)
        if not len(rare):
            return []
        names = [f"{self.classes[c]} ({counts[c]})" for c in rare]
        noun = "class has" if len(rare) == 1 else "classes have"
        few = f"fewer than {FEWEST_ROWS} rows, too few for a reliable evaluation"
        return [f"{len(rare):,} {noun} {few}: {listed(names)}."]

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the logarithms of the class frequencies."""
        return torch.bincount(targets, minlength=self.n_outputs).double().log()[None]

    @property
    def purpose(self) -> str:
        """Mention the number of classes."""
        return f"to distinguish {self.n_outputs:,} classes"

    def finding(self, score: float) -> str:
        """Mention the percentage of rows that are classified correctly, or the ROC AUC."""
        if self.score == "roc_auc":
            return f"distinguishes the two classes with a ROC AUC of {self.write_score(score)}"
        if self.imbalanced:
            return f"classifies {percent(score)} of the rows of each class correctly, on average"
        return f"classifies {percent(score)} of the rows correctly"


def calibration(confidence: Floats, correct: Booleans, n_bins: int = 10) -> dict[str, Floats]:
    """Compare the probability of the predicted class with how often it is correct.

    The rows are divided into bins of equally many rows.

    Returns
    -------
    dict of arrays of shape (number of bins,)
        ``"predicted"``, the mean probability, ``"observed"``, the fraction that is correct, and
        ``"rows"``.

    >>> calibration(np.array([0.6, 0.6, 0.9, 0.9]), np.array([True, False, True, True]), 2)
    {'predicted': array([0.6, 0.9]), 'observed': array([0.5, 1. ]), 'rows': array([2, 2])}
    """
    order = np.argsort(confidence, kind="stable")
    bins = np.array_split(order, min(n_bins, max(len(order) // 10, 2), len(order)))
    return {
        "predicted": np.array([confidence[rows].mean() for rows in bins]),
        "observed": np.array([correct[rows].mean() for rows in bins]),
        "rows": np.array([len(rows) for rows in bins]),
    }


def _checked(y: Any, X: Tensor, name: str) -> Any:
    y = as_array(y, name)
    require_same_length(X, y, name)
    require_no_gaps(y, name)
    y = labels_of(y, name)
    with as_input_error(), warnings.catch_warnings():
        # Texts do not represent a regression problem, however many they are.
        if np.asarray(y).dtype.kind in "OUT":
            warnings.filterwarnings("ignore", "The number of unique classes")
        assert_all_finite(y if hasattr(y, "dtype") else np.asarray(y), input_name=name)
        check_classification_targets(y)
    return y
