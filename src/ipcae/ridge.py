"""Ridge regression, and the errors of kernel ridge regression in cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import solve
from scipy.spatial.distance import cdist

from ipcae.arrays import Floats, Integers

N_FOLDS = 5
RIDGE = 0.3
_TINY, _CONSTANT = 1e-9, 1e-12

PENALTIES = tuple(np.logspace(-2, 4, 13))
"""Penalties to choose from, for standardized columns."""


def standardized(columns: Floats) -> Floats:
    """Scale columns to mean 0 and standard deviation 1, constant ones to 0.

    >>> standardized(np.array([[1.0, 0.1], [3.0, 0.1]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    size = columns.std(0)
    scale = np.where(size > _CONSTANT, size, np.inf)
    return np.asarray((columns - columns.mean(0)) / scale)


def indicators(classes: Integers) -> Floats:
    """Return a column of zeros and ones for every class. Shape: (N,) -> (N, C).

    >>> indicators(np.array([0, 1, 1]))
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    return np.eye(classes.max() + 1)[classes]


def ridge_weights(inputs: Floats, targets: Floats, ridge: float) -> Floats:
    """Return the weights of a ridge regression, from whichever are fewer, rows or columns.

    Shape: (N, D), (N, T) -> (D, T).

    >>> ridge_weights(np.eye(2), np.array([[2.0], [4.0]]), ridge=1.0)
    array([[1.],
           [2.]])
    """
    n_rows, n_columns = inputs.shape
    if n_columns > n_rows:
        return inputs.T @ np.linalg.solve(inputs @ inputs.T + ridge * np.eye(n_rows), targets)
    moments = inputs.T @ inputs + ridge * np.eye(n_columns)
    return np.asarray(np.linalg.solve(moments, inputs.T @ targets), dtype=np.float64)


def similar_folds(
    targets: Floats, groups: Integers | None = None, order: Integers | None = None
) -> Integers:
    """Return the fold of every row; folds have similar targets, and no group is divided.

    A single group is divided. Rows with the same targets are taken in ``order``.

    Shape: targets (N, T), groups and order (N,) -> (N,).

    >>> similar_folds(np.arange(7.0)[:, None])
    array([0, 1, 2, 3, 4, 0, 1])
    >>> similar_folds(np.arange(7.0)[:, None], groups=np.array([0, 0, 0, 1, 1, 1, 2]))
    array([0, 0, 0, 1, 1, 1, 2])
    """
    if groups is not None and (groups != groups[0]).any():
        _, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        means = [np.bincount(member, target) / sizes for target in targets.T]
        return similar_folds(np.column_stack(means))[member]
    order = np.arange(len(targets)) if order is None else order
    fold = np.empty(len(targets), dtype=np.int64)
    fold[order[np.lexsort(targets[order].T)]] = np.arange(len(targets)) % N_FOLDS
    return fold


def means_of_groups(errors: Floats, groups: Integers | None) -> Floats:
    """Return the mean error of every group, so that groups count as observations instead of rows.

    Without groups, or with a single one, the errors are returned as they are.

    Shape: (N,), (N,) -> (G,).

    >>> means_of_groups(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]))
    array([2., 5.])
    """
    if groups is None or (groups == groups[0]).all():
        return errors
    _, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(np.bincount(member, errors) / sizes)


def gaussian_kernel(inputs: Floats, squared_width: float, n_fitted: int | None = None) -> Floats:
    """Return exp(−‖x − x'‖² / w²) of all rows x and all, or the first, rows x'.

    Shape: (N, D) -> (N, N) or (N, n_fitted).
    """
    return np.exp(-cdist(inputs, inputs[:n_fitted], "sqeuclidean") / squared_width)


def fold_errors(
    kernel: Floats,
    targets: Floats,
    ridge: float = RIDGE,
    groups: Integers | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Return the squared errors of the rows of every fold, predicted from the other folds.

    Rows may have weights, also in the errors. Shape: kernel (N, N), targets (N, T), groups and
    weights (N,) -> (N,).
    """
    fold = similar_folds(targets, groups)
    weights = np.ones(len(targets)) if weights is None else weights
    errors = np.empty(len(targets))
    for number in range(fold.max() + 1):
        held, kept = fold == number, fold != number
        center = np.average(targets[kept], 0, weights[kept])
        moments = kernel[np.ix_(kept, kept)] + np.diag(weighted_ridge(weights[kept], ridge))
        slopes = np.linalg.solve(moments, targets[kept] - center)
        predicted = center + kernel[np.ix_(held, kept)] @ slopes
        errors[held] = np.square(targets[held] - predicted).sum(1)
    return weights * errors


def weighted_ridge(weights: Floats, ridge: float = RIDGE) -> Floats:
    """Return the penalty of every row, a huge one for rows without weight. Shape: (N,) -> (N,)."""
    return ridge / np.maximum(weights, _TINY)


def held_out_errors(kernel: Floats, targets: Floats, ridge: float | Floats = RIDGE) -> Floats:
    """Return the squared errors of the last rows, predicted from the first M rows.

    Shape: kernel (N, M), targets (N, T), ridge () or (M,) -> (N − M,).

    >>> x = np.linspace(0, 1, 40)[:, None]
    >>> bool(held_out_errors(gaussian_kernel(x, 0.1, 30), x, 1e-6).max() < 0.1)
    True
    """
    n_fitted = kernel.shape[1]
    center = targets[:n_fitted].mean(0)
    moments = kernel[:n_fitted] + np.diag(np.broadcast_to(ridge, n_fitted))
    weights = solve(moments, targets[:n_fitted] - center, assume_a="pos", check_finite=False)
    predicted = center + kernel[n_fitted:] @ weights
    return np.asarray(np.square(targets[n_fitted:] - predicted).sum(1))


def linear_fold_errors(
    inputs: Floats,
    targets: Floats,
    penalties: Sequence[float],
    weights: Floats,
    groups: Integers | None = None,
) -> list[Floats]:
    """Return the squared errors of ridge regressions with several penalties, as `fold_errors`.

    Rows have weights, also in the errors. Shape: (N, D), (N, T), weights and groups (N,) -> one
    (N,) each.

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> (errors,) = linear_fold_errors(x, x[:, :1] - x[:, 1:2], [1e-9], np.ones(50))
    >>> bool(errors.mean() < 0.1)
    True
    """
    n_rows, n_columns = inputs.shape
    if n_columns > n_rows:
        products = inputs @ inputs.T
        return [fold_errors(products, targets, each, groups, weights) for each in penalties]
    fold = similar_folds(targets, groups)
    errors = [np.empty(n_rows) for _ in penalties]
    for number in range(fold.max() + 1):
        held, kept = fold == number, fold != number
        center = targets[kept].mean(0)
        weighted = inputs[kept] * weights[kept, None]
        variances, axes = np.linalg.eigh(weighted.T @ inputs[kept])
        loads, rows = axes.T @ (weighted.T @ (targets[kept] - center)), inputs[held] @ axes
        for own, penalty in zip(errors, penalties, strict=True):
            slopes = loads / (variances.clip(0)[:, None] + penalty)
            missed = targets[held] - center - rows @ slopes
            own[held] = weights[held] * np.square(missed).sum(1)
    return errors


def margin(errors: Floats, others: Floats, n_errors: float) -> float:
    """Return by how much errors are smaller than others, less this number of standard errors.

    >>> round(margin(np.array([1.0, 2.0]), np.array([2.0, 5.0]), n_errors=1), 2)
    1.29
    """
    better = others - errors
    return float(better.mean() - n_errors * better.std() / np.sqrt(len(better)))
