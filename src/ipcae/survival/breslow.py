"""Breslow's estimate of the baseline hazard."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Booleans, Floats
from ipcae.survival.kaplan_meier import StepFunction


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
