"""Rows that depend on each other, such as those of the same person or of the same minute.

Few independent rows are better ranked by a linear method than by a network, unless what matters is
not linear.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.ridge import margin
from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.backward import Backward
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.statistics.effective_rows import filled

N_BLOCKS = 20
"""Number of blocks of consecutive rows whose correlations are compared."""

N_ERRORS = 2.0
"""Standard errors by which another ranking must predict better than a linear one."""


def consecutive_blocks(classes: NDArray[Any], n_blocks: int = N_BLOCKS) -> Integers:
    """Return the block of every row, such that blocks have the same shares of all classes.

    The rows of every class are divided into blocks in their order, so that a table that is sorted
    by its classes does not appear to have dependent rows.

    Shape: classes (N,) -> (N,).

    >>> consecutive_blocks(np.array(["a", "b", "b", "a", "a", "a"]), n_blocks=2)
    array([0, 0, 1, 0, 1, 1])
    """
    blocks = np.empty(len(classes), dtype=np.int64)
    for label in np.unique(classes):
        rows = np.flatnonzero(classes == label)
        blocks[rows] = np.arange(len(rows)) * n_blocks // len(rows)
    return blocks


def linear_suffices(
    inputs: NDArray[Any],
    targets: Floats,
    n_selected: int,
    n_effective: int,
    groups: Integers | None = None,
) -> bool:
    """Return whether no other ranking finds columns that predict classes clearly better.

    The K best columns of :class:`Backward` are compared with those of :class:`Adaptive`, which also
    ranks products of columns and trees, on held-out groups. Without groups, standard errors are
    larger than the number of rows suggests, by √(N / n_effective), since rows depend on each other.

    Shape: inputs (N, D), NaN for missing values; targets (N, T); groups (N,).
    """
    inputs = filled(np.array(inputs, dtype=np.float64))
    examples = Examples(inputs, targets, discrete=True, groups=groups)
    columns = [
        examples.best_columns(ranking.scores(examples, n_selected, 0), n_selected)
        for ranking in (Backward(), Adaptive())
    ]
    linear, other = errors_of_columns(examples, columns)
    widened = N_ERRORS * math.sqrt(max(len(linear) / n_effective, 1.0))
    return margin(other, linear, n_errors=widened) <= 0
