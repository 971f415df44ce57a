"""Reconstruction of all columns from the selected ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats, quotient
from ipcae.decoders import Mlp
from ipcae.losses import Huber, Loss, Observed, SquaredError
from ipcae.rows import Rows
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks import resampling
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.head import Head
from ipcae.tasks.linear_decoder import solved_linear_decoder
from ipcae.text import percent


@dataclass(frozen=True, eq=False)
class Reconstruction(Task):
    """Reconstruct every column; X is the target.

    ``scaler`` is the scaler of the columns: the decoder reconstructs scaled columns. If values are
    missing (``gaps``), they do not count.
    """

    n_outputs: int
    scaler: Scaler | EncodedScaler | None = None
    gaps: bool = False

    name: ClassVar[str] = "reconstruction"
    supervised: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True
    decoder = Mlp(hidden=(512, 512), dropout=0.1, skip=True)
    small_decoder = Mlp(hidden=(512, 512), dropout=0.3, skip=True)
    losses: ClassVar[dict[str, Loss]] = {"squared_error": SquaredError(), "huber": Huber()}
    score = "r2"
    baseline_name = "the mean"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Count the columns; y is ignored."""
        # A table that is read in parts has no gaps: missing values are refused.
        gaps = isinstance(X, Tensor) and bool(X.isnan().any())
        return cls(n_outputs=X.shape[1], gaps=gaps)

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return the number of columns."""
        return n_features

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor | None:
        """Return None, because X is the target; with gaps, return X."""
        return X if self.gaps else None

    def loss_for(self, loss: Any) -> Loss:
        """Return the loss; with gaps, of the values that are not missing."""
        found = super().loss_for(loss)
        if not self.gaps or isinstance(found, Observed):
            return found
        return cast(Loss, Observed(found))

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Store the scale of the columns, and count those of the decoder."""
        if isinstance(scaler, EncodedScaler):
            return replace(self, scaler=scaler, n_outputs=len(scaler.expansion))
        return replace(self, scaler=scaler)

    def solves(self, loss: Loss) -> bool:
        """Return whether the loss is the squared error, also of the values that are known."""
        return isinstance(loss.loss if isinstance(loss, Observed) else loss, SquaredError)

    def linear_solution(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Fit a ridge regression to the standardized inputs; leave-one-out sets its penalties."""
        return solved_linear_decoder(rows)

    def compared_targets(self, targets: Tensor) -> Tensor:
        """Return the scaled columns; what is missing is the mean."""
        return targets.nan_to_num(0.0)

    def scaled(self, targets: Tensor) -> Tensor:
        """Scale the columns; what is missing is NaN."""
        return self._scaler.targets(targets)

    @property
    def _scaler(self) -> Scaler | EncodedScaler:
        assert self.scaler is not None
        return self.scaler

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the columns in their original units. Shape: (N, D) -> (N, D)."""
        return self._scaler.invert(outputs).numpy()

    @property
    def head(self) -> Head:
        """Conversion to the units of the columns, or of the encoded columns."""
        scaler = self._scaler
        plain = scaler.scaler if isinstance(scaler, EncodedScaler) else scaler
        return Head("reconstruction", scaler=plain, restores_columns=True)

    def compared(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return the scaled columns and their reconstructions.

        Where values are missing, both are the mean of the column, which is neither an error nor
        a deviation. Shape: (N, O), (N, D) -> (N, O), (N, O).
        """
        true, predicted = self.scaled(targets).double(), outputs.double()
        missing = true.isnan()
        if bool(missing.any()):
            mean = true.nanmean(0).nan_to_num(0.0).expand_as(true)
            true, predicted = (torch.where(missing, mean, part) for part in (true, predicted))
        return true.numpy(), predicted.numpy()

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute the variance-weighted R² of the scaled columns, and the mean of ‖x − x̂‖₂ / D.

        Columns that are constant in these rows do not count in R².
        """
        values = resampling.of_all_rows(partial(self.resampled, outputs, targets), len(targets))
        return values if np.isfinite(values["error"]) else dict.fromkeys(values, float("nan"))

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        true, predicted = self.compared(outputs, targets)
        varying = true.min(0) != true.max(0)
        errors, spread = (
            part[:, varying].sum(1) for part in resampling.sums_of_squares(true, predicted, counts)
        )
        distances = np.linalg.norm(true - predicted, axis=1) / true.shape[1]
        return {
            "r2": 1 - quotient(errors, spread, np.nan),
            "error": resampling.mean_of_rows(distances, counts),
        }

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the means of the columns."""
        scaled = self.scaled(targets).double()
        mean = scaled.mean(0, keepdim=True)
        return torch.where(mean.isnan(), scaled.nanmean(0, keepdim=True).nan_to_num(0.0), mean)

    @property
    def purpose(self) -> str:
        """Mention the number of columns."""
        return f"to reconstruct all {self.n_outputs:,} of them"

    def finding(self, score: float) -> str:
        """Mention the percentage of explained variance."""
        share = percent(score) if score > 0 else "none"
        return f"explains {share} of the variance of all columns"

    @property
    def score_label(self) -> str:
        """Label of the main metric."""
        return "R² of all columns"
