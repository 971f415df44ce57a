"""Overlap of the nearest neighbors in all columns and in some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from ipcae.arrays import Floats, Integers

_NUMBERS = (5, 15, 25)
_N_COMPONENTS = 50


@dataclass(frozen=True, eq=False)
class NeighborOverlap:
    """The mean share of the 5, 15 and 25 nearest neighbors of a row that stay the same.

    Shape: inputs (N, D); neighbors (N, 25), the nearest ones in 50 principal components of all
    columns.

    >>> inputs = np.random.default_rng(0).normal(size=(60, 3)) * [9, 9, 0.001]
    >>> overlap = NeighborOverlap.of(inputs)
    >>> overlap.share(np.array([0, 1])) > 0.99 > overlap.share(np.array([0]))
    True
    """

    inputs: Floats
    neighbors: Integers

    @classmethod
    def of(cls, inputs: Floats) -> NeighborOverlap:
        """Find the neighbors from all columns."""
        n_components = min(_N_COMPONENTS, *inputs.shape)
        parts = PCA(n_components, random_state=0).fit_transform(inputs)
        return cls(inputs, _nearest(parts))

    def share(self, columns: Integers) -> float:
        """Return the overlap if only these columns are known."""
        found = _nearest(self.inputs[:, columns])
        shares = []
        for number in _NUMBERS:
            n = min(number, found.shape[1])
            same = found[:, :n, None] == self.neighbors[:, None, :n]
            shares.append(same.any(2).mean())
        return float(np.mean(shares))


def _nearest(rows: Floats) -> Integers:
    n_neighbors = min(max(_NUMBERS), len(rows) - 1)
    found = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(rows)
    return np.asarray(found.kneighbors(rows, return_distance=False)[:, 1:])
