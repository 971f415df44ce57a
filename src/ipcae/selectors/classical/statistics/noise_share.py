"""The share of the columns' correlations that is sampling noise."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats
from ipcae.ridge import standardized

_TINY = 1e-12


def noise_share(inputs: Floats) -> float:
    """Return δ, the share of the columns' correlations that is sampling noise, from 0 to 1.

    Ledoit and Wolf's shrinkage of the correlation matrix toward the identity, divided by its
    expectation for independent normal columns, 1 − 2 / N.

    >>> random = np.random.default_rng(0)
    >>> independent = random.normal(size=(50, 200))
    >>> repeated = np.repeat(random.normal(size=(50, 4)), 50, axis=1)
    >>> noise_share(independent) > 0.9, noise_share(repeated) < 0.2
    (True, True)
    """
    z = standardized(inputs)
    n_rows, n_columns = z.shape
    if n_rows < 3:
        return 0.999
    gram = z @ z.T if n_columns > n_rows else z.T @ z
    square = np.square(gram).sum() / n_rows**2 / n_columns
    lengths = np.square(z).sum(1)
    spread = square - (lengths.mean() / n_columns) ** 2
    noise = np.square(lengths).sum() / n_rows**2 / n_columns - square / n_rows
    return float(np.clip(noise / max(spread, _TINY) / (1 - 2 / n_rows), 0.01, 0.999))
