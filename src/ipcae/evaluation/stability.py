"""Stability of selections over subsamples of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.evaluation.correlations import correlations


@dataclass(frozen=True)
class StabilityIndex:
    """Nogueira's index of stability with a 95 % confidence interval for other subsamples.

    1 if all selections are equal, 0 (in expectation) if features are selected at random.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def stability_index(selected: Booleans) -> StabilityIndex:
    """Return the stability of M selections (Nogueira, Sechidis and Brown, 2018).

    One minus the mean variance of the features' selection, divided by that of random selections of
    the same mean size. The interval is the asymptotic one of the paper. It says how far the index
    may be from that of all subsamples of the same rows; with other rows, it differs by more: twice
    as much for 50 subsamples of 150 simulated rows.

    Shape: selected (M, D).

    >>> same = np.tile([True, False, True, False], (5, 1))
    >>> print(stability_index(same))
    1.00 (1.00 to 1.00)
    """
    n_samples, n_features = selected.shape
    frequency = selected.mean(0)
    size = float(frequency.sum())
    expected = size / n_features * (1 - size / n_features) if n_features else 0.0
    if n_samples < 2 or expected == 0:
        return StabilityIndex(1.0, 1.0, 1.0)
    variance = frequency * (1 - frequency) * n_samples / (n_samples - 1)
    value = 1 - float(variance.mean()) / expected
    sizes = selected.sum(1) / n_features
    mean_size = size / n_features
    shared = (selected * frequency).mean(1)
    phi = (
        shared
        - sizes * mean_size
        + value / 2 * (2 * sizes * mean_size - sizes - mean_size + 1)
        - value / 2
    ) / expected
    spread = 4 / n_samples**2 * float(np.square(phi - phi.mean()).sum())
    half = 1.959964 * math.sqrt(spread)
    return StabilityIndex(value, value - half, min(value + half, 1.0))


def expected_false(
    n_features: int, n_selected: float, threshold: float, n_pairs: int | None = None
) -> float:
    """Bound the expected number of stable features that are irrelevant (Shah and Samworth, 2013).

    A feature is irrelevant if it is selected from half of the rows with probability at most
    θ = q / D, where q features are selected per subsample. Of the features that are selected from
    at least a fraction τ of complementary pairs of subsamples, at most C · θ · q are irrelevant in
    expectation, with C = 1 / (2 τ − 1) for any distribution of the selections. With
    ``n_pairs`` of subsamples, C is that for unimodal distributions, which is smaller.

    >>> expected_false(1000, n_selected=10, threshold=0.9)
    0.125
    >>> round(expected_false(1000, n_selected=10, threshold=0.9, n_pairs=50), 3)
    0.043
    """
    theta = n_selected / n_features
    constant = 1 / (2 * threshold - 1) if threshold > 0.5 else math.inf
    if n_pairs is not None and theta <= 3**-0.5:
        half = 1 / (2 * n_pairs)
        if threshold > 0.75:
            constant = min(constant, 4 * (1 - threshold + half) / (1 + 2 * half))
        elif threshold > 0.5 + min(theta**2, half + 0.75 * theta**2):
            constant = min(constant, 1 / (2 * (2 * threshold - 1 - half)))
    return min(constant * theta * n_selected, float(n_features))


def clusters(inputs: Floats, features: Integers, least: float = 0.8) -> list[list[int]]:
    """Group features that can replace each other: linked by absolute correlations of ``least``.

    Single features are left out. Shape: inputs (N, F), the columns of the features.

    >>> x = np.random.default_rng(0).normal(size=(50, 2))
    >>> clusters(np.c_[x, x[:, 0] + 0.1 * x[:, 1]], np.array([4, 7, 9]))
    [[4, 9]]
    """
    n_clusters, cluster = connected_components(correlations(inputs) >= least, directed=False)
    members = [features[cluster == number].tolist() for number in range(n_clusters)]
    return [group for group in members if len(group) > 1]
