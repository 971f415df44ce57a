"""The weights of the features that the forward pass on a GPU keeps for the backward pass.

With one noise sample per row, reading them takes half the time of drawing the noise again.
"""

from __future__ import annotations

import math

TILE = 128  # features that a program reads at a time
MOST = 2**28  # most numbers to keep


def kept_sizes(
    n_runs: int, n_rows: int, n_nodes: int, n_features: int, tile: int = TILE
) -> tuple[int, ...] | None:
    """Return the shape of the kept weights, or None if there are too many.

    Four nodes and a tile of the features are kept together.

    >>> kept_sizes(10, 128, 50, 784)
    (128, 10, 13, 7, 4, 128)
    """
    sizes = n_rows, n_runs, math.ceil(n_nodes / 4), math.ceil(n_features / tile), 4, tile
    return sizes if math.prod(sizes) <= MOST else None


def kept_bytes(n_runs: int, n_rows: int, n_nodes: int, n_features: int) -> int:
    """Return the size of the kept weights: two bytes for every number.

    >>> kept_bytes(10, 128, 50, 784)
    119275520
    """
    sizes = kept_sizes(n_runs, n_rows, n_nodes, n_features)
    return 0 if sizes is None else 2 * math.prod(sizes)
