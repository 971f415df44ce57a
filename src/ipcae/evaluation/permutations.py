"""The null distribution of an association, by permuted rows or random signs of groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats

FEW_COLUMNS = 16
"""With more columns of scores, the products of all pairs of rows are computed once."""

_PERMUTATIONS_AT_ONCE = 200


def permuted_variance(predicted: Floats, true: Floats) -> float:
    """Return the variance of Σ predicted · true for permuted rows; both are centered."""
    within = (predicted.T @ predicted) * (true.T @ true)
    return float(within.sum()) / max(len(predicted) - 1, 1)


def standardized(
    predicted: Floats,
    true: Floats,
    groups: NDArray[Any] | None,
    n_permutations: int,
    random: np.random.Generator,
) -> tuple[float, Floats, float]:
    """Return the standardized association, that for permuted targets, and the largest.

    The association is the sum of predicted · true. The rows of a group are not exchangeable with
    others. Their part of the sum is then added or subtracted at random: without an association,
    groups are independent of each other, and the expectation of each part is zero. The largest
    association is that of parts of the same sizes that are all positive.

    Shape: predicted, true (N, Q); groups (N,) -> (), (n_permutations,), ().
    """
    predicted, true = predicted - predicted.mean(0), true - true.mean(0)
    products, largest = (predicted * true).sum(1), math.inf
    if groups is None:
        n_units, variance = len(products), permuted_variance(predicted, true)
        null = _permuted_sums(predicted, true, n_permutations, random)
    else:
        names, members = np.unique(groups, return_inverse=True)
        n_units = len(names)
        parts = np.bincount(members, products)
        # The parts are not quite independent, since predictions and targets are centered.
        correction = n_units / max(n_units - 1, 1)
        variance = np.square(parts).sum() * correction
        largest = np.abs(parts).sum()
        signs = random.choice([-1.0, 1.0], size=(n_permutations, n_units))
        null = signs @ parts * np.sqrt(correction)
    if n_units < 2 or not variance > 0:
        return 0.0, np.zeros(n_permutations), math.inf if groups is None else 0.0
    size = math.sqrt(variance)
    return float(products.sum() / size), null / size, float(largest / size)


def _permuted_sums(
    predicted: Floats, true: Floats, n_permutations: int, random: np.random.Generator
) -> Floats:
    """Return the sum of predicted · true for permuted rows of true. Shape: -> (n_permutations,)."""
    n_rows, n_columns = predicted.shape
    products = predicted @ true.T if n_columns > FEW_COLUMNS else None
    sums = []
    for first in range(0, n_permutations, _PERMUTATIONS_AT_ONCE):
        n_now = min(_PERMUTATIONS_AT_ONCE, n_permutations - first)
        orders = random.permuted(np.tile(np.arange(n_rows), (n_now, 1)), axis=1)
        if products is not None:
            sums.append(products[np.arange(n_rows), orders].sum(1))
        else:
            sums.append(sum(true[:, q][orders] @ predicted[:, q] for q in range(n_columns)))
    return np.concatenate(sums) if sums else np.empty(0)
