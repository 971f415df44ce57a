"""Decoys: columns that resemble those of a table but carry no information about the target."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.covariance import LedoitWolf

from ipcae.arrays import Floats, Integers

_COMMON = 0.05  # fraction of the rows; rarer levels of a category do not count

_SINGULAR = 0.01  # smallest eigenvalue of a correlation matrix; below, decoys would equal columns


def _generator(seed: int) -> np.random.Generator:
    # Not that of a simulated table, which may have been drawn with the same seed.
    return np.random.default_rng([seed, 0xDEC07])


def permuted_decoys(X: Floats, seed: int) -> Floats:
    """Return the rows of a table in another order.

    The decoys are correlated with each other like the columns, but not with the columns.
    Shape: (N, D) -> (N, D).

    >>> sorted(permuted_decoys(np.array([[1.0], [2.0], [3.0]]), 0).ravel().tolist())
    [1.0, 2.0, 3.0]
    """
    return X[_generator(seed).permutation(len(X))]


def frame_with_decoys(
    X: Any, order: Integers, seed: int, replaced: dict[str, Floats] | None = None
) -> Any:
    """Return a pandas or polars data frame with permuted decoys, its columns in this order.

    Categories and gaps are permuted like numbers. ``replaced`` has other decoys for some columns.
    Shape: (N, D); order (2 D,) -> (N, 2 D).

    >>> import pandas as pd
    >>> X = pd.DataFrame({"color": ["red", "blue", "red"], "size": [1, 2, 3]})
    >>> frame_with_decoys(X, np.array([0, 2, 1, 3]), 0).columns.tolist()
    ['color', 'decoy of color', 'size', 'decoy of size']
    """
    names = [str(name) for name in X.columns]
    prefix = "decoy of "
    while any(name.startswith(prefix) for name in names):
        prefix = f"another {prefix}"
    rows = _generator(seed).permutation(len(X))
    labels = [*names, *(f"{prefix}{name}" for name in names)]
    others = {f"{prefix}{name}": values for name, values in (replaced or {}).items()}
    if hasattr(X, "iloc"):
        pandas = import_module("pandas")
        parts = [X.reset_index(drop=True), X.iloc[rows].reset_index(drop=True)]
        both = pandas.concat(parts, axis=1)
        both.columns = labels
        both = both.assign(**others)
    else:
        polars = import_module("polars")
        decoys = X[rows].rename(dict(zip(X.columns, labels[len(names) :], strict=True)))
        both = polars.concat([X, decoys], how="horizontal")
        both = both.with_columns(**{name: polars.Series(own) for name, own in others.items()})
    return both[[labels[i] for i in order]]


def knockoffs(X: Floats, seed: int) -> Floats:
    """Return knockoffs: decoys that are also correlated with the other columns.

    A column can be exchanged with its decoy without changing means and covariances. With more than
    twice as many rows as columns, this holds exactly for the covariances of the given rows (Barber
    and Candès, 2015). With fewer rows, or if columns are almost combinations of others, it holds
    for the covariance that is estimated with the shrinkage of Ledoit and Wolf, as for the knockoffs
    of a normal distribution (Candès et al., 2018). The correlation of a column with its decoy is
    the same for all.
    Shape: (N, D) -> (N, D).
    """
    center, scale = X.mean(0), X.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    Z = (X - center) / scale
    n_rows, n_columns = Z.shape
    sigma = Z.T @ Z / n_rows
    exact = n_rows > 2 * n_columns and np.linalg.eigvalsh(sigma)[0] > _SINGULAR
    if not exact:
        sigma = LedoitWolf(assume_centered=True).fit(Z).covariance_
    smallest = float(np.linalg.eigvalsh(sigma)[0])
    s = np.full(n_columns, min(2 * smallest, float(sigma.diagonal().min())) * (1 - 1e-6))
    solved = np.linalg.solve(sigma, np.diag(s))
    mean = Z - Z @ solved
    covariance = 2 * np.diag(s) - s[:, None] * solved
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    noise = _generator(seed).normal(size=Z.shape)
    if exact:  # uncorrelated, with the columns and among each other
        basis = np.linalg.qr(np.column_stack([np.ones(n_rows), Z, noise]))[0]
        noise = n_rows**0.5 * basis[:, 1 + n_columns :]
    return center + scale * (mean + noise @ root.T)


def knockoffs_beside_categories(numbers: Floats, levels: Floats, seed: int) -> Floats:
    """Return knockoffs of columns of numbers that are also correlated with levels of categories.

    A decoy has the gaps of its column, which count as medians otherwise.
    Shape: numbers (N, D), with NaN for gaps; levels (N, L), see :func:`common_levels` -> (N, D).

    >>> x = np.random.default_rng(0).normal(size=(50, 2))
    >>> x[7, 1] = np.nan
    >>> made = knockoffs_beside_categories(x, common_levels(np.repeat(["a", "b"], 25)), seed=0)
    >>> np.argwhere(np.isnan(made)).tolist()
    [[7, 1]]
    """
    gaps = np.isnan(numbers)
    medians = [
        np.median(own[~gap]) if not gap.all() else 0.0
        for own, gap in zip(numbers.T, gaps.T, strict=True)
    ]
    filled = np.where(gaps, medians, numbers)
    made = knockoffs(np.hstack([filled, levels]), seed)[:, : numbers.shape[1]]
    return np.where(gaps, np.nan, made)


def common_levels(column: Any) -> Floats:
    """Return which rows have each level of at least 5 % of the rows, without one of all levels.

    >>> common_levels(["a", "b", "a"]).T.tolist()
    [[0.0, 1.0, 0.0]]
    """
    labels = np.array([str(value) for value in column])
    levels, counts = np.unique(labels, return_counts=True)
    common = levels[counts >= _COMMON * len(labels)]
    others = common[1:] if len(common) == len(levels) else common
    return (labels[:, None] == others).astype(np.float64)
