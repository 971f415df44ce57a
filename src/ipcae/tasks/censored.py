"""Reading a target of times that may be censored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats
from ipcae.errors import InputError

EXPECTED = (
    "a structured array with a boolean and a numeric field as in scikit-survival, or two columns, "
    "the time and the event (1 if it happened, 0 if the row is censored)"
)


def times_and_events(y: Any, name: str = "y") -> Floats:
    """Return times and events as two columns.

    Accepts a structured array, a data frame with columns "time" and "event", or with one boolean
    column, and otherwise two columns, the time first. Shape: -> (N, 2).

    >>> y = np.array([(True, 2.5), (False, 4.0)], dtype=[("died", "?"), ("months", "f8")])
    >>> times_and_events(y)
    array([[2.5, 1. ],
           [4. , 0. ]])
    """
    time, event = _columns(y, name)
    return np.stack([_checked_time(time, name), _checked_event(event, name)], 1)


def _columns(y: Any, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the column of times and the column of events."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is None and hasattr(y, "columns"):
        fields = [str(column) for column in y.columns]
        columns = [np.asarray(y[column]) for column in y.columns]
    elif fields is not None:
        columns = [np.asarray(y[field]) for field in fields]
    else:
        y = y.detach().cpu().numpy() if hasattr(y, "detach") else np.asarray(y)
        if y.ndim != 2 or y.shape[1] != 2:
            raise InputError(f"{name} has shape {y.shape}: expected {EXPECTED}.")
        return y[:, 0], y[:, 1]
    if len(columns) != 2:
        raise InputError(f"{name} has {len(columns)} columns: expected {EXPECTED}.")
    lower = [field.lower() for field in fields]
    boolean = [column.dtype.kind == "b" for column in columns]
    if set(lower) == {"time", "event"}:
        event = lower.index("event")
    else:
        event = boolean.index(True) if sum(boolean) == 1 else 1
    return columns[1 - event], columns[event]


def _checked_time(time: NDArray[Any], name: str) -> Floats:
    if time.dtype.kind in "mM":
        raise InputError(
            f"The times of {name} are {'durations' if time.dtype.kind == 'm' else 'dates'}: "
            "expected numbers, such as the days from the start of observation."
        )
    try:
        time = np.where(_is_missing(time), np.nan, time).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"The times of {name} are not numbers ({error}).") from error
    if missing := int(np.isnan(time).sum()):
        raise InputError(
            f"The time is missing (NaN) in {missing} of {len(time)} rows of {name}: remove these "
            "rows, or give the time when the row was last observed, with event 0."
        )
    if np.isinf(time).any():
        raise InputError(
            f"{name} contains an infinite time: of a row without an event, give the time when it "
            "was last observed, with event 0."
        )
    if len(time) and time.min() < 0:
        raise InputError(
            f"{name} contains a negative time, {time.min():g}: expected times from the start of "
            "observation, 0 or more."
        )
    return time


def _checked_event(event: NDArray[Any], name: str) -> Floats:
    if missing := int(_is_missing(event).sum()):
        raise InputError(
            f"The event is missing (NaN) in {missing} of {len(event)} rows of {name}: remove these "
            "rows, or give 1 if it happened, and 0 if the row is censored."
        )
    values = np.unique(event)
    if not np.isin(values, [0, 1]).all():
        raise InputError(
            f"The events of {name} contain {values[-1]!s}: expected {EXPECTED}. Times come first."
        )
    return event.astype(np.float64)


def _is_missing(values: NDArray[Any]) -> Booleans:
    return np.array([value is None or value != value for value in values.tolist()], dtype=bool)
