"""Survival analysis: the risk of an event, learned from times that may be censored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Booleans, Floats, quotient
from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import CoxPartialLikelihood, Loss
from ipcae.rows import Rows
from ipcae.survival import (
    RiskSets,
    StepFunction,
    concordance,
    cumulative_hazard,
    deviance_residuals,
    fit_cox,
    kaplan_meier,
    martingale_residuals,
    resampled_concordance,
)
from ipcae.tables import Scaler, require_same_length
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.censored import EXPECTED, times_and_events
from ipcae.tasks.effective_sizes import PER_EVENT
from ipcae.tasks.given_targets import require_target
from ipcae.tasks.head import Head
from ipcae.tasks.ranks import standard_ranks
from ipcae.text import percent

FEW_EVENTS = 20
"""With fewer events, a concordance index is mostly chance."""

RIDGE_PER_EVENT = 0.1
"""The ridge of a linear Cox model on the selected columns (docs/experiments/survival.md)."""


@dataclass(frozen=True, eq=False)
class Survival(Task):
    """Predict the log hazard ratio of a row.

    Shape: encoded targets (N, 2), time and event, float64. ``censoring`` (2, T) are the times and
    the probabilities not to be censored before them; ``event_times`` (E,) and ``hazards`` (R, E)
    are the cumulative baseline hazard of every run. All are of the training rows.
    """

    censoring: Floats | None = None
    event_times: Floats | None = None
    hazards: Floats | None = None

    n_outputs: ClassVar[int] = 1  # type: ignore[misc]
    name: ClassVar[str] = "survival"
    censored: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True
    decoder = Mlp(hidden=(32,), dropout=0.3)
    losses: ClassVar[dict[str, Loss]] = {
        "cox": CoxPartialLikelihood(),
        "cox-breslow": CoxPartialLikelihood(ties="breslow"),
    }
    score = "concordance"
    baseline_name = "equal risks"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Check that there are events and different times."""
        require_target(y, owner, EXPECTED)
        time, event = times_and_events(y).T
        if not event.any():
            raise InputError(
                "y has no event, all rows are censored: expected rows with and without events."
            )
        if time.min() == time.max():
            raise InputError(f"y has the same time in every row, {time[0]:g}: expected several.")
        return cls()

    @classmethod
    def split_labels(cls, y: Any) -> NDArray[Any]:
        """Stratify by event."""
        return times_and_events(y)[:, 1]

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return times and events. Shape: -> (N, 2)."""
        require_target(y, name, EXPECTED)
        values = times_and_events(y, name)
        require_same_length(X, values, name)
        return torch.from_numpy(values).to(X.device)

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Estimate the distribution of the censoring times."""
        time, event = _parts(training.targets)
        curve = kaplan_meier(time, event, censoring=True)
        return replace(self, censoring=np.stack([curve.times, curve.values]))

    def calibrated(self, outputs: Callable[[], Tensor], training: Rows) -> Self:
        """Estimate the baseline hazard of every run."""
        time, event = _parts(training.targets)
        log_hazards = outputs()[:, :, 0].double().cpu().numpy()
        weights = None if training.weights is None else training.weights.double().cpu().numpy()
        curves = [
            cumulative_hazard(time, event, np.nan_to_num(run), weights) for run in log_hazards
        ]
        hazards = np.stack([curve.values for curve in curves])
        return replace(self, event_times=curves[0].times, hazards=hazards)

    def solves(self, loss: Loss) -> bool:
        """Return whether the loss is Cox's."""
        return isinstance(loss, CoxPartialLikelihood)

    def linear_solution(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Fit a Cox model with a ridge to the standardized columns, with Breslow's ties."""
        inputs = rows.inputs.double().cpu().numpy()
        mean, deviation = inputs.mean(0), inputs.std(0)
        deviation = np.where(deviation > 0, deviation, 1)
        time, event = _parts(rows.targets)
        weights = (
            np.ones(len(time)) if rows.weights is None else rows.weights.double().cpu().numpy()
        )
        risk = RiskSets.of(time, event.astype(np.float64), weights)
        ridge = RIDGE_PER_EVENT * float(risk.events.sum())
        standard = (inputs - mean) / deviation
        coefficients = fit_cox(standard, risk, ridge, np.zeros(len(time)), 100) / deviation
        weight, bias = coefficients[None], -coefficients @ mean[:, None]
        return torch.from_numpy(weight), torch.from_numpy(bias)

    def compared_targets(self, targets: Tensor) -> Tensor:
        """Return the deviance residuals of equal risks. Shape: (N, 2) -> (N,)."""
        return torch.from_numpy(deviance_residuals(*_parts(targets)))

    def strata(self, targets: Tensor) -> NDArray[Any]:
        """Stratify by event."""
        return targets[:, 1].cpu().numpy()

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the log hazard ratios. Shape: (N, 1) -> (N,)."""
        return outputs[:, 0].numpy()

    def survival(self, outputs: Tensor, run: int, times: Any = None) -> Floats:
        """Return the probability of no event up to each time. Shape: (N, 1) -> (N, T)."""
        assert self.event_times is not None
        assert self.hazards is not None
        times = self.event_times if times is None else np.asarray(times, dtype=np.float64)
        hazard = StepFunction(self.event_times, self.hazards[run]).at(times, before=0.0)
        with np.errstate(over="ignore"):
            return np.exp(-hazard * np.exp(outputs[:, :1].double().numpy()))

    @property
    def head(self) -> Head:
        """The log hazard ratio."""
        return Head("risk", squeeze=True)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute Harrell's concordance index, and Uno's with inverse censoring weights.

        Uno's index counts events up to the last time at which training rows are not all censored.
        """
        time, event = _parts(targets)
        risk = outputs[:, 0].double().numpy()
        if not np.isfinite(risk).all():
            return {"concordance": float("nan"), "concordance_ipcw": float("nan")}
        weights = self._inverse_probabilities(time)
        return {
            "concordance": concordance(time, event, risk),
            "concordance_ipcw": concordance(
                time, event & (weights > 0), risk, event_weights=weights**2
            ),
        }

    def resampled(self, outputs: Tensor, targets: Tensor, counts: Floats) -> dict[str, Floats]:
        """Compute the metrics of all resamples at once."""
        time, event = _parts(targets)
        risk, weights = outputs[:, 0].double().numpy(), self._inverse_probabilities(time)
        return {
            "concordance": resampled_concordance(time, event, risk, counts),
            "concordance_ipcw": resampled_concordance(
                time, event & (weights > 0), risk, counts, event_weights=weights**2
            ),
        }

    def effective_sizes(self, targets: Tensor) -> dict[str, float]:
        """Return those of the concordance indices, by the number of events."""
        size = PER_EVENT * max(float(targets[:, 1].sum()), 1.0)
        return {"concordance": size, "concordance_ipcw": size}

    def association(self, outputs: Tensor, targets: Tensor) -> tuple[Floats, Floats]:
        """Return the ranks of the risks, and the events beyond those expected by then."""
        time, event = _parts(targets)
        residuals = martingale_residuals(time, event)
        return standard_ranks(outputs.double().numpy()), residuals[:, None]

    def cautions(self, targets: Tensor) -> list[str]:
        """Mention few events."""
        n_events = int(targets[:, 1].sum())
        if n_events >= FEW_EVENTS:
            return []
        return [
            f"Only {n_events} of {len(targets)} rows have an event, too few for a reliable "
            "evaluation."
        ]

    def _inverse_probabilities(self, time: Floats) -> Floats:
        """Return 1 / P(not censored up to the time), or 0 where the probability is 0."""
        assert self.censoring is not None
        probability = StepFunction(*self.censoring).at(time)
        return quotient(1.0, probability)

    def baseline(self, targets: Tensor) -> Tensor:
        """Return the same risk for all."""
        return torch.zeros(1, 1, dtype=torch.float64)

    @property
    def purpose(self) -> str:
        """Mention the risk."""
        return "to predict the risk of an event"

    def finding(self, score: float) -> str:
        """Mention the percentage of pairs in the right order."""
        return f"orders {percent(score)} of the comparable pairs correctly"


def _parts(targets: Tensor) -> tuple[Floats, Booleans]:
    """Return the times and the events."""
    values = targets.double().cpu().numpy()
    return values[:, 0], values[:, 1] > 0.5
