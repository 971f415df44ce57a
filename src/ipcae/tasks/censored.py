"""Reading a target of times that may be censored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from ipcae.errors import InputError, as_input_error

EXPECTED = (
    "a structured array with a boolean and a numeric field as in scikit-survival, or two columns, "
    "the time and the event (1 if it happened, 0 if the row is censored)"
)


def times_and_events(y: Any, name: str = "y") -> NDArray[np.float64]:
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


def _checked_time(time: NDArray[Any], name: str) -> NDArray[np.float64]:
    with as_input_error():
        try:
            time = time.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"The times of {name} are not numbers ({error}).") from error
        assert_all_finite(time, input_name=name)
    if len(time) and time.min() < 0:
        raise InputError(
            f"{name} contains a negative time, {time.min():g}: expected times from the start of "
            "observation, 0 or more."
        )
    return time


def _checked_event(event: NDArray[Any], name: str) -> NDArray[np.float64]:
    values = np.unique(event[~_is_missing(event)])
    if _is_missing(event).any() or not np.isin(values, [0, 1]).all():
        shown = "a missing value" if _is_missing(event).any() else f"{values[-1]!s}"
        raise InputError(
            f"The events of {name} contain {shown}: expected {EXPECTED}. Times come first."
        )
    return event.astype(np.float64)


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([value is None or value != value for value in values.tolist()], dtype=bool)
