"""Whether linear rankings find the columns that matter, measured on held-out rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.ridge import margin
from ipcae.selectors.classical.adaptive import Adaptive, scores_of_trees, scores_with_products
from ipcae.selectors.classical.backward import Backward
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.statistics.effective_rows import filled

MOST_ROWS, MOST_NUMBERS = 2000, 2**24
"""Size of a sample of independent rows: a few seconds with 800 columns, and 2 GB at most."""

N_ERRORS = 2.0
"""Standard errors by which another ranking must predict better than a linear one."""


def only_linear_effects(
    inputs: NDArray[Any], targets: Floats, n_selected: int, weights: Floats | None = None
) -> bool:
    """Return whether neither products of columns nor trees predict classes better.

    Their K best columns are compared with those of the better of two linear rankings, on held-out
    rows of a sample.

    Shape: inputs (N, D), NaN for missing values; targets (N, T); weights (N,).

    >>> x = np.random.default_rng(0).normal(size=(500, 9))
    >>> classes = [x[:, [3]] + x[:, [5]] > 0, x[:, [3]] * x[:, [5]] > 0]
    >>> [only_linear_effects(x, y.astype(float), n_selected=2) for y in classes]
    [True, False]
    """
    n_rows, n_columns = inputs.shape
    most = min(MOST_ROWS, MOST_NUMBERS // n_columns)
    rows = np.linspace(0, n_rows - 1, min(n_rows, most)).astype(int)
    sample = filled(inputs[rows].astype(np.float64))
    weights = None if weights is None else weights[rows]
    examples = Examples(sample, targets[rows], discrete=True, weights=weights)
    linear = [each.scores(examples, n_selected, 0) for each in (GroupLasso(), Elimination())]
    others = (
        scores_with_products(Elimination(), examples, linear[1], n_selected),
        scores_of_trees(examples),
    )
    every = [*linear, *(scores for scores in others if scores is not None)]
    errors = errors_of_columns(examples, [examples.best_columns(s, n_selected) for s in every])
    best = min(errors[: len(linear)], key=np.mean)
    return all(margin(other, best, N_ERRORS) <= 0 for other in errors[len(linear) :])


def linear_suffices(
    inputs: NDArray[Any],
    targets: Floats,
    n_selected: int,
    n_effective: int,
    groups: Integers | None = None,
) -> bool:
    """Return whether a linear ranking of dependent rows is enough to predict classes.

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
