"""Mutual information of numeric columns with classes, for all columns at the same time."""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import digamma
from sklearn.preprocessing import scale
from torch import Tensor

from ipcae.arrays import Floats

_BLOCK_VALUES = {"cpu": 2**18, "cuda": 2**24}  # of the columns that are sorted together


def class_information(
    inputs: Floats,
    target: Floats,
    n_neighbors: int,
    seed: int,
    device: torch.device | str = "cpu",
) -> Floats:
    """Return the mutual information of every column with the classes, in nats.

    This is the estimate of ``sklearn.feature_selection.mutual_info_classif`` (Ross, 2014), with the
    same noise. In a sorted column, nearest neighbors are beside each other, so that neither trees
    nor loops over the columns are needed.

    Shape: inputs (N, D); target (N,) -> (D,).

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import mutual_info_classif
    >>> X, y = load_wine(return_X_y=True)
    >>> expected = mutual_info_classif(X, y, n_neighbors=3, random_state=5)
    >>> np.allclose(class_information(X, y, 3, seed=5), expected, rtol=1e-12)
    True
    """
    classes, sizes = np.unique(target, return_inverse=True, return_counts=True)[1:]
    spread = _spread(inputs, seed)
    rows = np.argsort(classes, kind="stable")
    rows, sizes = rows[sizes[classes[rows]] > 1], sizes[sizes > 1]
    neighbors = np.minimum(n_neighbors, sizes - 1)
    n_rows = int(sizes.sum())
    known = digamma(n_rows) + (sizes @ (digamma(neighbors) - digamma(sizes))) / n_rows
    table = torch.from_numpy(np.append(0.0, digamma(np.arange(1, n_rows + 1)))).to(device)
    parts = []
    step = max(_BLOCK_VALUES.get(torch.device(device).type, 2**18) // n_rows, 1)
    for start in range(0, spread.shape[1], step):
        columns = np.ascontiguousarray(spread[:, start : start + step][rows].T)
        counts = _counts(torch.from_numpy(columns).to(device), sizes.tolist(), neighbors.tolist())
        parts.append(known - table[counts].mean(1).cpu().numpy())
    return np.maximum(np.concatenate(parts), 0.0)


def _spread(inputs: Floats, seed: int) -> Floats:
    """Scale the columns and separate equal values by noise, as scikit-learn does."""
    scaled = np.asarray(scale(inputs, with_mean=False))
    size = np.maximum(1, np.abs(scaled).mean(0))
    noise = np.random.RandomState(seed).standard_normal(scaled.shape)
    return np.asarray(scaled + 1e-10 * size * noise)


def _counts(columns: Tensor, sizes: list[int], neighbors: list[int]) -> Tensor:
    """Return how many values are nearer to each value than its k-th neighbor of the same class.

    Shape: (D, N), the rows of a class adjacent -> (D, N).
    """
    every = columns.sort(1).values
    mirrored = -every.flip(1)
    counts = []
    for own, n_neighbors in zip(columns.split(sizes, 1), neighbors, strict=True):
        values = own.sort(1).values
        radius = _neighbor_distance(values, n_neighbors)
        radius = torch.nextafter(radius, torch.zeros_like(radius))
        above, below = _end(every, values, radius), _end(mirrored, -values, radius)
        counts.append(above + below - every.shape[1])
    return torch.cat(counts, 1)


def _neighbor_distance(values: Tensor, n_neighbors: int) -> Tensor:
    """Return the distance from each value to its k-th neighbor. Shape: (D, N), sorted -> (D, N)."""
    n_windows = values.shape[1] - n_neighbors
    first, last = values[:, :n_windows], values[:, n_neighbors:]
    nearest = torch.full_like(values, torch.inf)
    for place in range(n_neighbors + 1):  # of the value in a window of itself and k neighbors
        own = values[:, place : place + n_windows]
        distance = torch.maximum(own - first, last - own)
        best = nearest[:, place : place + n_windows]
        torch.minimum(best, distance, out=best)
    return nearest


def _end(every: Tensor, values: Tensor, radius: Tensor) -> Tensor:
    """Return how many values v have v - value ≤ radius.

    Shape: every (D, N), sorted; values, radius (D, M) -> (D, M).
    """
    n_rows = every.shape[1]
    end = torch.searchsorted(every, (values + radius).contiguous(), right=True)
    # Rounding the sum may have moved an end across a few nearly equal values.
    while True:
        beyond = every.gather(1, end.clamp(max=n_rows - 1)) - values <= radius
        beyond &= end < n_rows
        if not beyond.any():
            break
        end += beyond
    while True:
        outside = every.gather(1, (end - 1).clamp(min=0)) - values > radius
        outside &= end > 0
        if not outside.any():
            return end
        end -= outside.long()
