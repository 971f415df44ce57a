"""Multilabel classification: several binary labels per row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils.multiclass import type_of_target
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import BinaryCrossEntropy, Loss
from ipcae.tables import require_same_length
from ipcae.tables.tensors import as_array
from ipcae.tasks import resampling
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.effective_sizes import size_of_mean_auc
from ipcae.tasks.given_targets import require_target
from ipcae.tasks.head import Head
from ipcae.tasks.ranks import membership_scores
from ipcae.text import percent


@dataclass(frozen=True)
class Multilabel(Task):
    """Predict several binary labels per row.

    Shape: encoded targets (N, L).
    """

    n_outputs: int

    name: ClassVar[str] = "multilabel"
    discrete: ClassVar[bool] = True
    decoder = Mlp(hidden=(512,), dropout=0.3)
    losses: ClassVar[dict[str, Loss]] = {"binary_cross_entropy": BinaryCrossEntropy()}
    score = "label_accuracy"
    baseline_name = "the more common value of each label"

    @property
    def selector_score(self) -> str:
        """The fraction of rows with all labels correct, as for every scikit-learn classifier."""
        return "exact_match"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Count the labels."""
        require_target(y, owner, "a matrix of zeros and ones")
        return cls(int(y.shape[1]) if hasattr(y, "shape") else len(y[0]))

    @property
    def classes(self) -> Integers:
        """The index of every label."""
        return np.arange(self.n_outputs)

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return zeros and ones. Shape: -> (N, L), float32."""
        require_target(y, name, "a matrix of zeros and ones")
        y = as_array(y, name)
        require_same_length(X, y, name)
        if type_of_target(y) != "multilabel-indicator":
            raise InputError(
                f"{name} is not a matrix of zeros and ones, but y was: expected one class per row "
                "in both, or a matrix in both."
            )
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if labels.shape[1] != self.n_outputs:
            raise InputError(
                f"y and {name} have different numbers of columns, {self.n_outputs} and "
                f"{labels.shape[1]}: expected the same."
            )
        return torch.from_numpy(labels.astype(np.float32)).to(X.device)

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return 1 for labels with a probability above one half. Shape: (N, L) -> (N, L)."""
        return (outputs > 0).numpy().astype(np.int64)

    def probabilities(self, outputs: Tensor) -> Floats:
        """Return the probability of every label. Shape: (N, L) -> (N, L)."""
        return outputs.double().sigmoid().numpy()

    @property
    def head(self) -> Head:
        """Sigmoid, then every label whose probability exceeds one half."""
        return Head("label", activation="sigmoid", classes=self.classes)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute the fractions of correct labels and rows, and the mean ROC AUC of the labels."""
        values = resampling.of_all_rows(partial(self.resampled, outputs, targets), len(targets))
        return values if bool(torch.isfinite(outputs).all()) else values | {"roc_auc": float("nan")}

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        true = targets.numpy() > 0.5
        correct = (outputs.numpy() > 0) == true
        return {
            "label_accuracy": resampling.mean_of_rows(correct.mean(1), counts),
            "exact_match": resampling.mean_of_rows(correct.all(1).astype(np.float64), counts),
            "roc_auc": resampling.macro_auc(outputs.double().numpy(), true, counts),
        }

    def effective_sizes(self, targets: Tensor) -> dict[str, float]:
        """Return those of the metrics that are means over the labels."""
        members = targets.numpy() > 0.5
        return {"label_accuracy": float(members.size), "roc_auc": size_of_mean_auc(members)}

    def association(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return scores whose products add up to the ROC AUC of every label."""
        members = targets.numpy() > 0.5
        return rankdata(outputs.double().numpy(), axis=0), membership_scores(members)

    def baseline(self, targets: Tensor) -> Tensor:
        """Return a positive output for labels of more than half of the rows."""
        return targets.double().mean(0, keepdim=True) - 0.5

    @property
    def purpose(self) -> str:
        """Mention the number of labels."""
        return f"to predict {self.n_outputs:,} labels"

    def finding(self, score: float) -> str:
        """Mention the percentage of correct labels."""
        return f"predicts {percent(score)} of the labels correctly"
