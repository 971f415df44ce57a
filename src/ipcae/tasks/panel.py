"""Two objectives at once: predict the class, and reconstruct all columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Booleans, Floats
from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import CrossEntropyWithReconstruction, Loss
from ipcae.rows import Rows
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.classification import Classification
from ipcae.tasks.head import Head
from ipcae.tasks.reconstruction import Reconstruction


@dataclass(frozen=True, eq=False)
class Panel(Task):
    """Predict the class of a row and reconstruct its columns, from the same features.

    Shape: outputs (N, C + D); encoded targets (N, 1 + D), the class first. Of rows that are read in
    parts, only the classes are in memory, (N, 1).
    """

    classification: Classification
    reconstruction: Reconstruction
    fitted_loss: Loss | None = None

    name: ClassVar[str] = "panel"
    discrete: ClassVar[bool] = True
    columns_follow: ClassVar[bool] = True
    decoder = Mlp(hidden=(512,), dropout=0.3)
    losses: ClassVar[dict[str, Loss]] = {
        "cross_entropy_with_reconstruction": CrossEntropyWithReconstruction()
    }
    baseline_name = "the most common class and the mean"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Find the classes and count the columns."""
        task = Classification.read(y, X, owner)
        if not isinstance(task, Classification):
            raise InputError(f"{owner} needs one class per row, but y is a matrix of labels.")
        return cls(task, Reconstruction(X.shape[1]))

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return the number of classes and columns."""
        return (asked or 1) + n_features

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """The number of classes and columns."""
        return self.classification.n_outputs + self.reconstruction.n_outputs

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        return self.classification.classes

    @property
    def score(self) -> str:  # type: ignore[override]
        """The main metric of the classification."""
        return self.classification.score

    @property
    def selector_score(self) -> str:
        """Accuracy, as for every scikit-learn classifier."""
        return self.classification.selector_score

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return the index of the class, and the columns of X in memory. Shape: -> (N, 1 + D)."""
        index = self.classification.encode(y, X, name)
        if not isinstance(X, Tensor):
            return index[:, None]
        return torch.cat([index[:, None].to(X.dtype), X], 1)

    def ranking_targets(self, targets: Tensor) -> Tensor:
        """Return the index of the class. Shape: (N, 1 + D) -> (N,)."""
        return targets[:, 0].long()

    def columns_weight(self, loss: Loss) -> float:
        """Return the weight of the reconstruction."""
        return loss.weight if isinstance(loss, CrossEntropyWithReconstruction) else 0.5

    def known(self, y: Any) -> Booleans:
        """Return a mask of the rows whose class was seen in ``fit``."""
        return self.classification.known(y)

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Store the scale of the columns, and the loss with its weight."""
        if isinstance(scaler, EncodedScaler):
            raise InputError(
                "Classes and columns together are predicted from plain numbers only: expected no "
                "categories and missing='error'. Encode or leave out the other columns."
            )
        reconstruction = self.reconstruction.fitted(training, scaler, loss)
        own = loss if isinstance(loss, CrossEntropyWithReconstruction) else None
        return replace(self, reconstruction=reconstruction, fitted_loss=own)

    @property
    def loss(self) -> Loss:
        """The loss of the fit, or the default."""
        return self.fitted_loss or super().loss

    def scaled(self, targets: Tensor) -> Tensor:
        """Scale the columns, if there are any."""
        if targets.shape[1] == 1:
            return targets
        columns = self.reconstruction.scaled(targets[:, 1:])
        return torch.cat([targets[:, :1].to(columns), columns], 1)

    def strata(self, targets: Tensor) -> NDArray[Any]:
        """Stratify by class."""
        return self.classification.strata(self.ranking_targets(targets))

    def logits(self, outputs: Tensor) -> Tensor:
        """Return the outputs for the classes. Shape: (N, C + D) -> (N, C)."""
        return outputs[..., : self.classification.n_outputs]

    def columns(self, outputs: Tensor) -> Tensor:
        """Return the outputs for the columns. Shape: (N, C + D) -> (N, D)."""
        return outputs[..., self.classification.n_outputs :]

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the most probable class. Shape: (N, C + D) -> (N,)."""
        return self.classification.predictions(self.logits(outputs))

    def probabilities(self, outputs: Tensor) -> Floats:
        """Return the probability of every class. Shape: (N, C + D) -> (N, C)."""
        return self.classification.probabilities(self.logits(outputs))

    @property
    def head(self) -> Head:
        """Softmax of the classes, then the most probable one."""
        return replace(self.classification.head, n_outputs=self.classification.n_outputs)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute the metrics of the classification, and R² of all columns."""
        classes, columns = self.ranking_targets(targets), targets[:, 1:]
        return {
            **self.classification.metrics(self.logits(outputs), classes),
            "reconstruction_r2": self.reconstruction.metrics(self.columns(outputs), columns)["r2"],
        }

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        classes, columns = self.ranking_targets(targets), targets[:, 1:]
        r2 = self.reconstruction.resampled(self.columns(outputs), columns, counts)["r2"]
        of_classes = self.classification.resampled(self.logits(outputs), classes, counts)
        return {**of_classes, "reconstruction_r2": r2}

    def effective_sizes(self, targets: Tensor) -> dict[str, float]:
        """Return those of the classification."""
        return self.classification.effective_sizes(self.ranking_targets(targets))

    def association(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return that of the classification."""
        return self.classification.association(self.logits(outputs), self.ranking_targets(targets))

    def breakdown(self, outputs: Tensor, targets: Tensor) -> dict[str, Any]:
        """Return that of the classification."""
        classes = self.ranking_targets(targets)
        return self.classification.breakdown(self.logits(outputs), classes)

    def groups(self, targets: Tensor) -> dict[str, Booleans]:
        """Return the rows of every class."""
        return self.classification.groups(self.ranking_targets(targets))

    def cautions(self, targets: Tensor) -> list[str]:
        """Return those of the classification."""
        return self.classification.cautions(self.ranking_targets(targets))

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the logarithms of the class frequencies and the means of the columns."""
        classes = self.classification.baseline(self.ranking_targets(targets))
        return torch.cat([classes, self.reconstruction.baseline(targets[:, 1:])], 1)

    @property
    def purpose(self) -> str:
        """Mention the numbers of classes and columns."""
        return f"{self.classification.purpose} and {self.reconstruction.purpose}"

    def finding(self, score: float) -> str:
        """Describe the classification."""
        return self.classification.finding(score)
