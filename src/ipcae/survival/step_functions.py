"""Step functions of time: Kaplan-Meier, Breslow's baseline hazard, and residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from ipcae.arrays import Booleans, Floats


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A function that is constant between times, and 1 before the first.

    Shape: times (T,), increasing; values (T,), from the time on.

    >>> StepFunction(np.array([1.0, 3.0]), np.array([0.5, 0.2])).at(np.array([0.5, 1.0, 9.0]))
    array([1. , 0.5, 0.2])
    """

    times: Floats
    values: Floats

    def at(self, times: Floats, before: float = 1.0) -> Floats:
        """Return the values at other times; ``before`` is the value before the first."""
        index = np.searchsorted(self.times, times, side="right")
        return np.concatenate([[before], self.values])[index]


def kaplan_meier(time: Floats, event: Booleans, *, censoring: bool = False) -> StepFunction:
    """Estimate the probability of having no event up to a time.

    With ``censoring``, estimate the probability of not being censored. A row that is censored at
    the time of an event is censored after it.

    >>> curve = kaplan_meier(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))
    >>> curve.times, curve.values.round(3)
    (array([1., 2., 3.]), array([0.667, 0.667, 0.   ]))
    """
    times, index = np.unique(time, return_inverse=True)
    n_events = np.bincount(index, event, len(times))
    n_rows = np.bincount(index, minlength=len(times))
    at_risk = n_rows[::-1].cumsum()[::-1]
    ended = n_rows - n_events if censoring else n_events
    if censoring:
        at_risk = at_risk - n_events
    return StepFunction(times, np.cumprod(1 - ended / np.maximum(at_risk, 1)))


def cumulative_hazard(
    time: Floats, event: Booleans, log_hazard: Floats, weights: Floats | None = None
) -> StepFunction:
    """Estimate the cumulative hazard of a row with log hazard 0, at the times of events.

    At every event time, it increases by the number of events divided by Σ exp(η) of the rows at
    risk, both weighted if weights are given. A row with log hazard η survives time t with
    probability exp(−H(t) exp(η)).

    >>> hazard = cumulative_hazard(np.array([1.0, 2.0]), np.array([True, True]), np.zeros(2))
    >>> hazard.values
    array([0.5, 1.5])
    """
    times, index = np.unique(time, return_inverse=True)
    weights = np.ones(len(time)) if weights is None else weights
    n_events = np.bincount(index, event * weights, len(times))
    # Relative to the largest, so that nothing overflows.
    unit = log_hazard.max()
    hazards = weights * np.exp(log_hazard - unit)
    at_risk = np.bincount(index, hazards, len(times))[::-1].cumsum()[::-1]
    happened = n_events > 0
    steps = n_events[happened] / np.maximum(at_risk[happened], np.finfo(np.float64).tiny)
    return StepFunction(times[happened], np.cumsum(steps) * np.exp(-unit))


def martingale_residuals(time: Floats, event: Booleans, weights: Floats | None = None) -> Floats:
    """Return the events of every row, less those expected up to its time if all risks are equal.

    They are the gradient of the log partial likelihood by the log hazards. Shape: (N,) -> (N,).

    >>> martingale_residuals(np.array([1.0, 2.0]), np.array([True, True]))
    array([ 0.5, -0.5])
    """
    hazard = cumulative_hazard(time, event, np.zeros(len(time)), weights)
    return event - hazard.at(time, before=0.0)


def deviance_residuals(time: Floats, event: Booleans, weights: Floats | None = None) -> Floats:
    """Return the martingale residuals M, transformed to be less skewed.

    That is, sign(M) √(−2 (M + δ log(δ − M))) with δ = 1 for events and 0 otherwise. A model that
    predicts them as numbers finds the columns that the risk depends on (Therneau, Grambsch and
    Fleming, 1990). Shape: (N,) -> (N,).

    >>> deviance_residuals(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])).round(2)
    array([ 0.93, -0.82, -0.3 ])
    """
    residuals = martingale_residuals(time, event, weights)
    halved = residuals + xlogy(event, event - residuals)
    return np.sign(residuals) * np.sqrt(np.maximum(-2 * halved, 0))
