"""Tables with more dimensions than rows and features."""

from __future__ import annotations

from typing import Any

from ipcae.errors import InputError


def refuse_dimensions(X: Any, estimator: str, name: str = "X") -> None:
    """Raise an error for an array of three and more dimensions, such as channels over time.

    >>> import numpy as np
    >>> refuse_dimensions(np.zeros((9, 4, 100)), "RegressionSelector")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: X has 3 dimensions, ... use ChannelSelector(RegressionSelector(...)).
    """
    shape = _shape_of(X)
    if len(shape) < 3:
        return
    advice = "Reshape it to rows and features."
    if len(shape) == 3:
        advice = (
            f"To select channels of cases × channels × time, use ChannelSelector({estimator}(...))."
        )
    raise InputError(
        f"{name} has {len(shape)} dimensions, shape {shape}: expected two, rows and features. "
        f"{advice}"
    )


def _shape_of(X: Any) -> tuple[int, ...]:
    """Return the shape of an array or of nested lists, judged by the first of every level."""
    if hasattr(X, "shape"):
        return tuple(X.shape)
    if isinstance(X, list | tuple) and X:
        return (len(X), *_shape_of(X[0]))
    return ()
