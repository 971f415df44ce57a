"""Columns of a table by name or index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipcae.errors import InputError, invalid_argument
from ipcae.text import listed, similar_name


def find_features(features: Sequence[Any], names: list[str]) -> tuple[int, ...]:
    """Return the indices of features that are given by name or index, or as a mask.

    >>> find_features(["b", 0], ["a", "b", "c"])
    (1, 0)
    >>> find_features([True, False, True], ["a", "b", "c"])
    (0, 2)
    """
    if np.shape(features) == (len(names),) and np.asarray(features).dtype == bool:
        features = np.flatnonzero(features).tolist()
    if isinstance(features, str) or not np.iterable(features) or not len(features):
        raise invalid_argument(
            "features", features, "a list of names or indices of columns, or a mask"
        )
    places = {name: i for i, name in enumerate(names)}
    found: list[int] = []
    unknown: list[str] = []
    for feature in features:
        whole = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
        if whole and 0 <= feature < len(names):
            found.append(int(feature))
        elif str(feature) in places:
            found.append(places[str(feature)])
        else:
            unknown.append(str(feature))
    if unknown:
        near = similar_name(unknown[0], names)
        advice = f'did you mean "{near}"?' if near else f"X has {listed(names)}."
        features_ = "feature" if len(features) == 1 else "features"
        verb = "is" if len(unknown) == 1 else "are"
        raise InputError(
            f"{len(unknown)} of {len(features)} {features_} {verb} not in the table "
            f"({listed(unknown)}): "
            f"{advice}"
        )
    return tuple(dict.fromkeys(found))


def column_names(X: Any) -> list[str]:
    """Return the names of the columns of a table; x0, x1, … by default."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    shape = np.shape(X) if not hasattr(X, "shape") else X.shape
    if len(shape) != 2:
        raise InputError(f"X has {len(shape)} dimensions: expected rows and columns.")
    return [f"x{i}" for i in range(shape[1])]
