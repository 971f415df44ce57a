"""Regression with one or several targets per row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_array
from torch import Tensor

from ipcae.arrays import Floats, quotient
from ipcae.decoders import Decoder
from ipcae.errors import InputError, as_input_error, warn
from ipcae.losses import Huber, Loss, SquaredError
from ipcae.rows import Rows
from ipcae.tables import Scaler, fit_scaler, require_same_length, robust_scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.tensors import as_array
from ipcae.tasks import resampling
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.given_targets import require_no_gaps, require_numbers, require_target
from ipcae.tasks.head import Head
from ipcae.tasks.linear_decoder import solved_linear_decoder
from ipcae.text import listed, percent


@dataclass(frozen=True, eq=False)
class Regression(Task):
    """Predict numbers; the decoder predicts them standardized.

    ``single`` is whether the target has shape (N,).

    Shape: encoded targets (N, T), float64.
    """

    n_outputs: int
    single: bool
    scaler: Scaler | None = None

    name: ClassVar[str] = "regression"
    adaptive: ClassVar[bool] = True
    tall_decoder: ClassVar[Decoder] = Task.decoder
    losses: ClassVar[dict[str, Loss]] = {"squared_error": SquaredError(), "huber": Huber()}
    score = "r2"
    baseline_name = "the mean"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Count the targets, and warn if they are constant."""
        require_target(y, owner, "one number per row")
        values = _checked(y, X, "y")
        if len(values) > 1 and (values == values[:1]).all():
            warn(
                f"y is {listed([f'{value:g}' for value in np.ravel(values[0])])} in every row: "
                "there is nothing to predict, and the selected features are arbitrary."
            )
        return cls(n_outputs=1 if values.ndim == 1 else values.shape[1], single=values.ndim == 1)

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return the targets. Shape: -> (N, T)."""
        require_target(y, name, "one number per row")
        values = _checked(y, X, name)
        values = np.array(values.reshape(len(values), -1))
        if values.shape[1] != self.n_outputs:
            raise InputError(
                f"y and {name} have different numbers of columns, {self.n_outputs} and "
                f"{values.shape[1]}: expected the same."
            )
        return torch.from_numpy(values).to(X.device)

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Compute the scale of the target, from its quartiles if the loss is robust."""
        targets = training.targets
        robust = isinstance(loss, Huber)
        scaler = robust_scaler(targets) if robust else fit_scaler(targets, "standard")
        return replace(self, scaler=scaler)

    def solves(self, loss: Loss) -> bool:
        """Return whether the loss is the squared error."""
        return isinstance(loss, SquaredError)

    def linear_solution(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Fit a ridge regression to the standardized columns; leave-one-out sets its penalty."""
        return solved_linear_decoder(rows)

    def scaled(self, targets: Tensor) -> Tensor:
        """Standardize the targets."""
        return self._scaler.apply(targets)

    @property
    def _scaler(self) -> Scaler:
        assert self.scaler is not None
        return self.scaler

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return predictions in the units of the target. Shape: (N, T) -> (N,) or (N, T)."""
        values = self._scaler.invert(outputs).numpy()
        return values[:, 0] if self.single else values

    @property
    def head(self) -> Head:
        """Conversion to the units of the target."""
        return Head("prediction", scaler=self._scaler, squeeze=self.single)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute R² of the targets that vary, mean absolute and root mean squared error."""
        if not np.isfinite(self._scaler.invert(outputs).numpy()).all():
            nan = float("nan")
            return {"r2": nan, "mean_absolute_error": nan, "root_mean_squared_error": nan}
        return resampling.of_all_rows(partial(self.resampled, outputs, targets), len(targets))

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        true, predicted = targets.double().numpy(), self._scaler.invert(outputs).numpy()
        true, predicted, unit = moderate(true, predicted)
        errors, spread = resampling.sums_of_squares(true, predicted, counts)
        varying = true.min(0) != true.max(0)
        r2 = 1 - quotient(errors, spread, np.nan)
        return {
            "r2": resampling.mean_of_defined(r2[:, varying]),
            "mean_absolute_error": unit
            * resampling.mean_of_rows(np.abs(true - predicted).mean(1), counts),
            "root_mean_squared_error": unit
            * np.sqrt(resampling.mean_of_rows(np.square(true - predicted).mean(1), counts)),
        }

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the scaled mean of every target."""
        return self.scaled(targets.double().mean(0, keepdim=True)).double()

    @property
    def purpose(self) -> str:
        """Mention the number of targets."""
        return "to predict " + ("a number" if self.n_outputs == 1 else f"{self.n_outputs} numbers")

    def finding(self, score: float) -> str:
        """Mention the percentage of explained variance."""
        share = percent(score) if score > 0 else "none"
        return f"explains {share} of the variance of the target"


def moderate(true: Floats, predicted: Floats) -> tuple[Floats, Floats, float]:
    """Divide both by a power of two if their squares would overflow or vanish; return it too.

    >>> moderate(np.array([1e200]), np.array([0.0]))[2] > 1e199
    True
    """
    largest = max(float(np.abs(true).max()), float(np.abs(predicted).max()))
    if largest == 0 or 1e-140 < largest < 1e140:
        return true, predicted, 1.0
    unit = 2.0 ** int(np.frexp(largest)[1] - 1)
    return true / unit, predicted / unit, unit


def _checked(y: Any, X: Tensor, name: str) -> Floats:
    y = as_array(y, name)
    require_same_length(X, y, name)
    with as_input_error():  # an array that cannot be read
        require_no_gaps(y, name)
        require_numbers(y, name)
        return check_array(
            y, ensure_2d=False, dtype=np.float64, input_name=name, ensure_min_samples=1
        )
