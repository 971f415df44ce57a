"""Residuals of the other columns after linear regression on the included ones."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats
from ipcae.ridge import PENALTIES

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


def unexplained_by_ridge(inputs: Floats, included: Floats) -> Floats:
    """Return the residuals of ridge regressions on the included columns.

    The penalty of each column is the one with the smallest errors for rows that are left out, from
    none to an infinite one, which leaves a column as it is. With few rows, least squares would
    remove much of an unrelated column by chance.

    Shape: inputs (N, D); included (N, I) -> (N, D).

    >>> random = np.random.default_rng(0)
    >>> x, included = random.normal(size=(12, 2)), random.normal(size=(12, 5))
    >>> x[:, 1] = 9 * included[:, 0]
    >>> unexplained_by_ridge(x, included).std(0).round(2)
    array([0.9, 0. ])
    """
    n_rows, inputs = len(inputs), inputs - inputs.mean(0)
    basis, sizes, _ = np.linalg.svd(included - included.mean(0), full_matrices=False)
    kept = sizes > _TINY * sizes.max(initial=0.0)
    basis, squares = basis[:, kept], np.square(sizes[kept])
    products = basis.T @ inputs
    residuals, best = inputs, np.square(inputs * n_rows / max(n_rows - 1, 1)).sum(0)
    for penalty in (0.0, *PENALTIES):
        share = squares / (squares + penalty)
        rest = 1 - np.square(basis) @ share - 1 / n_rows
        if rest.min(initial=1.0) < _TINY:  # a row is fitted exactly
            continue
        left = inputs - basis @ (share[:, None] * products)
        left[:, np.linalg.norm(left, axis=0) <= _TINY * np.linalg.norm(inputs, axis=0)] = 0.0
        errors = np.square(left / rest[:, None]).sum(0)
        residuals, best = np.where(errors < best, left, residuals), np.minimum(errors, best)
    return residuals
