"""Linear Cox models with a ridge penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import ridge_weights

_TINY = 1e-12


@dataclass(frozen=True)
class RiskSets:
    """Who is at risk at every event, for rows in the order of decreasing times.

    Shape: order, first, last, events and weights (N,); ``events`` are the weights of the rows with
    an event, otherwise 0; ``first`` and ``last`` are the positions of the rows with the same time.
    """

    order: Integers
    first: Integers
    last: Integers
    events: Floats
    weights: Floats

    @classmethod
    def of(cls, time: Floats, event: Floats, weights: Floats) -> RiskSets:
        """Sort the rows."""
        order = np.argsort(-time, kind="stable")
        falling = -time[order]
        first = np.searchsorted(falling, falling)
        last = np.searchsorted(falling, falling, side="right") - 1
        return cls(order, first, last, (event * weights)[order], weights[order])

    def expected_events(self, log_hazard: Floats) -> tuple[Floats, Floats]:
        """Return the events of every row, and those expected by Breslow's hazard up to its time.

        Their difference is the gradient of the log partial likelihood; the expected events are
        an upper bound of its curvature. Shape: (N,) -> (N,), (N,).
        """
        hazard = self.weights * np.exp(log_hazard[self.order] - log_hazard.max())
        at_risk = np.maximum(hazard.cumsum()[self.last], np.finfo(np.float64).tiny)
        expected = hazard * (self.events / at_risk)[::-1].cumsum()[::-1][self.first]
        back = np.argsort(self.order)
        return self.events[back], expected[back]


def fit_cox(
    inputs: Floats, risk: RiskSets, ridge: float, start: Floats, n_iterations: int
) -> Floats:
    """Return the coefficients of a Cox model with a ridge penalty.

    Every step is one of Newton's with a diagonal upper bound of the curvature, a least squares
    problem. ``start`` are the log hazards of the first step. Ties are handled by Breslow's method.

    Shape: inputs (N, D); start (N,) -> (D,).

    >>> risk = RiskSets.of(np.array([1.0, 2.0, 3.0]), np.ones(3), np.ones(3))
    >>> fit_cox(np.array([[1.0], [-1.0], [0.0]]), risk, 1.0, np.zeros(3), 50).round(3)
    array([0.262])
    """
    log_hazard, coefficients = start, np.zeros(inputs.shape[1])
    for _ in range(n_iterations):
        events, expected = risk.expected_events(log_hazard)
        # Rows that leave before the first event have no part in the likelihood.
        root = np.sqrt(expected)
        gradient = np.divide(events - expected, root, out=np.zeros_like(root), where=root > _TINY)
        response = (root * log_hazard + gradient)[:, None]
        before = coefficients
        coefficients = ridge_weights(root[:, None] * inputs, response, max(ridge, _TINY))[:, 0]
        log_hazard = inputs @ coefficients
        if np.abs(coefficients - before).max() < 1e-3 * max(np.abs(coefficients).max(), _TINY):
            break
    return coefficients
