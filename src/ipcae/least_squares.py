"""Least squares with a ridge penalty."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats

PENALTIES = tuple(np.logspace(-2, 4, 13))
"""Penalties to choose from, for standardized columns."""


def ridge_weights(inputs: Floats, targets: Floats, ridge: float) -> Floats:
    """Solve on the shorter side. Shape: (N, D), (N, T) -> (D, T).

    >>> ridge_weights(np.eye(2), np.array([[2.0], [4.0]]), ridge=1.0)
    array([[1.],
           [2.]])
    """
    n_rows, n_columns = inputs.shape
    if n_columns > n_rows:
        return inputs.T @ np.linalg.solve(inputs @ inputs.T + ridge * np.eye(n_rows), targets)
    moments = inputs.T @ inputs + ridge * np.eye(n_columns)
    return np.asarray(np.linalg.solve(moments, inputs.T @ targets), dtype=np.float64)
