"""Residuals of the other columns after linear regression on the included ones."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats

_TINY = 1e-6


def unexplained(inputs: Floats, included: Floats) -> Floats:
    """Return the residuals of the columns given the included ones, exactly 0 if nothing is left.

    Shape: inputs (N, D); included (N, I) -> (N, D).

    >>> x = np.array([1.0, 2.0, 3.0, 4.0])
    >>> z = np.array([1.0, -1.0, -1.0, 1.0])
    >>> unexplained(np.stack([2 * x, x + z], axis=1), x[:, None]).round(9).T
    array([[ 0.,  0.,  0.,  0.],
           [ 1., -1., -1.,  1.]])
    """
    inputs, included = inputs - inputs.mean(0), included - included.mean(0)
    coefficients, *_ = np.linalg.lstsq(included, inputs, rcond=None)
    residuals = inputs - included @ coefficients
    small = np.linalg.norm(residuals, axis=0) <= _TINY * np.linalg.norm(inputs, axis=0)
    residuals[:, small] = 0.0
    return np.asarray(residuals)
