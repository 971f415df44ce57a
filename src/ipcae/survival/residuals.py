"""Residuals of survival times: what a model without columns leaves unexplained."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from ipcae.arrays import Booleans, Floats
from ipcae.survival.breslow import cumulative_hazard


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
