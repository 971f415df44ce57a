"""The Kaplan-Meier estimate of a survival function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
