"""Columns and targets of the same scale, for linear models."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.examples import Examples, classes_of

_TINY = 1e-12


def standardized(inputs: Floats) -> Floats:
    """Scale columns to mean 0 and standard deviation 1, constant ones to 0."""
    size = inputs.std(0)
    scale = np.where(size > _TINY, size, np.inf)
    return (inputs - inputs.mean(0)) / scale


def indicators(classes: Integers) -> Floats:
    """Return a column of zeros and ones for every class. Shape: (N,) -> (N, C).

    >>> indicators(np.array([0, 1, 1]))
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    return np.eye(classes.max() + 1)[classes]


def weighted(examples: Examples, balance: float = 1.0) -> tuple[Floats, Floats]:
    """Center inputs and targets, and multiply rows by the roots of their weights.

    A single discrete target becomes the indicators of its classes. The total weight of a class of n
    rows is n^(1 − balance): all classes have the same with 1, all rows have the same with 0.

    Shape: -> (N, D), (N, T).
    """
    targets, classes = examples.targets, classes_of(examples)
    weights = examples.row_weights
    if classes is not None:
        targets = indicators(classes)
        weights = weights / np.bincount(classes, weights)[classes] ** balance
    else:
        targets = standardized(targets)
    weights = weights / weights.mean()
    root = np.sqrt(weights)[:, None]
    inputs, targets = (
        (table - np.average(table, 0, weights)) * root for table in (examples.inputs, targets)
    )
    return inputs, targets
