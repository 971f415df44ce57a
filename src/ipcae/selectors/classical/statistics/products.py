"""Products of two columns that explain the residuals of a linear model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from ipcae.arrays import Floats, Integers
from ipcae.ridge import standardized
from ipcae.selectors.classical.examples import Examples, Scores, classes_of, numeric_targets

Array = NDArray[np.float32]

BUDGET = 2e10
"""Most multiplications of one search, about a second; with more columns, fewer rows are used."""

SQUARES_BUDGET = 5e6
"""Most values of the table that squares are computed of, about a second."""

FEWEST_ROWS = 50
N_PERMUTATIONS = 5
MARGIN = 1.1
_BLOCK = 128


def informative_products(examples: Examples, chosen: Integers, most: int) -> Integers:
    """Return the pairs (i, j), i ≤ j, whose product explains what the chosen columns leave.

    The products are those of the columns' ranks, scaled and clipped to ±2. A pair is returned if
    the correlation of its product with the residuals is significant among all pairs (Bonferroni,
    1 %) and a tenth larger than the largest of any pair for five permutations of the residuals.
    Squares of columns are also tested among themselves, of which there are far fewer.

    Shape: -> (P, 2), the strongest first, then further squares, at most ``most``.

    >>> x = np.random.default_rng(0).normal(size=(300, 20))
    >>> y = (x[:, 3] * x[:, 8] > 0).astype(float)
    >>> informative_products(Examples(x, y[:, None], discrete=True), np.array([0]), most=5).tolist()
    [[3, 8]]
    """
    pairs = _informative_pairs(examples, chosen, most)
    known = set(map(tuple, pairs.tolist()))
    squares = [j for j in _informative_squares(examples, chosen).tolist() if (j, j) not in known]
    return np.concatenate([pairs, np.repeat(np.array(squares, dtype=np.int64), 2).reshape(-1, 2)])[
        :most
    ]


def _informative_squares(examples: Examples, chosen: Integers) -> Integers:
    """Return the columns whose squares explain what the chosen columns leave, the strongest first.

    They are tested as products are, but among squares. Shape: -> (P,).

    >>> x = np.random.default_rng(0).normal(size=(100, 500))
    >>> _informative_squares(Examples(x, abs(x[:, [7]]), discrete=False), np.array([0])).tolist()
    [7]
    """
    examples = examples.thinned(int(SQUARES_BUDGET / max(examples.inputs.shape[1], 1)))
    n_rows, n_columns = examples.inputs.shape
    if n_rows < FEWEST_ROWS:
        return np.zeros(0, dtype=np.int64)
    left = _residuals(examples, chosen[: n_rows // 4])
    squares = standardized(np.square(rank_scores(examples.inputs)))
    random = np.random.default_rng(0)  # the same permutations in every run
    strengths, *others = (
        np.abs(squares.T @ left[order]).max(1) / np.sqrt(n_rows)
        for order in (
            np.arange(n_rows),
            *(random.permutation(n_rows) for _ in range(N_PERMUTATIONS)),
        )
    )
    limit = max(
        float(norm.isf(0.005 / (n_columns * left.shape[1]))), MARGIN * float(np.max(others))
    )
    best = np.argsort(-strengths, kind="stable")
    return best[strengths[best] > limit]


def _informative_pairs(examples: Examples, chosen: Integers, most: int) -> Integers:
    """Return the pairs that are informative among all pairs, at most ``most``. Shape: -> (P, 2)."""
    none = np.zeros((0, 2), dtype=np.int64)
    examples = _within_budget(examples)
    n_rows, n_columns = examples.inputs.shape
    if n_rows < FEWEST_ROWS:
        return none
    left = _residuals(examples, chosen[: n_rows // 4])
    scores = rank_scores(examples.inputs)
    n_tests = max(n_columns * (n_columns + 1) / 2 * left.shape[1], 1)
    limit = float(norm.isf(0.005 / n_tests))
    strengths, pairs = _strongest(_blocks(scores, left), limit, most)
    if not len(pairs):
        return none
    random = np.random.default_rng(0)  # the same permutations in every run
    permuted = np.hstack([left[random.permutation(n_rows)] for _ in range(N_PERMUTATIONS)])
    for _, block in _blocks(scores, permuted):
        limit = MARGIN * float(block.max())
        strengths = strengths[strengths > limit]
        if not len(strengths):  # a few of the blocks can be enough to know
            return none
    return pairs[: len(strengths)]


def _strongest(
    blocks: Iterator[tuple[int, Array]], limit: float, most: int
) -> tuple[Array, Integers]:
    """Return the pairs above a limit, the strongest first, at most ``most``.

    Shape: -> strengths (P,), pairs (P, 2).
    """
    strengths, pairs = np.zeros(0, dtype=np.float32), np.zeros((0, 2), dtype=np.int64)
    for start, block in blocks:
        upper = np.triu(block)
        found = np.argwhere(upper > limit)
        strengths = np.concatenate([strengths, upper[tuple(found.T)]])
        pairs = np.concatenate([pairs, found + start])
        best = np.argsort(-strengths, kind="stable")[:most]
        strengths, pairs = strengths[best], pairs[best]
    return strengths, pairs


def with_products(examples: Examples, pairs: Integers) -> Examples:
    """Append the products of pairs of columns to the inputs."""
    scores = rank_scores(examples.inputs)
    products = scores[:, pairs[:, 0]] * scores[:, pairs[:, 1]]
    units = examples.units
    if units is not None:
        units = np.concatenate([units, units.max(initial=0) + 1 + np.arange(len(pairs))])
    return replace(examples, inputs=np.hstack([examples.inputs, products]), units=units)


def of_columns(scores: Scores, pairs: Integers) -> Scores:
    """Give every column the largest score of the terms that it is part of. Shape: -> (D,).

    >>> of_columns(np.array([1.0, 2.0, 3.0, 9.0]), np.array([[0, 2]]))
    array([9., 2., 9.])
    """
    n_columns = len(scores) - len(pairs)
    best = scores[:n_columns].copy()
    for column in pairs.T:
        np.maximum.at(best, column, scores[n_columns:])
    return best


def rank_scores(inputs: Floats) -> Array:
    """Return the ranks of every column, scaled to mean 0 and variance 1, clipped to ±2."""
    ranks = standardized(np.asarray(rankdata(inputs, axis=0)))
    return ranks.clip(-2, 2).astype(np.float32)


def _within_budget(examples: Examples) -> Examples:
    """Return as many rows as the budget allows."""
    n_columns = examples.inputs.shape[1]
    classes = classes_of(examples)
    n_targets = examples.targets.shape[1] if classes is None else int(classes.max()) + 1
    return examples.thinned(int(BUDGET / max(n_columns**2 * (n_targets + 2), 1)))


def _residuals(examples: Examples, chosen: Integers) -> Array:
    """Return what a linear model of the chosen columns leaves of the targets, scaled.

    A few large residuals would be explained by many products: they are clipped to ±3.

    Shape: -> (N, T).
    """
    targets = numeric_targets(examples)
    root = np.sqrt(examples.relative_weights)[:, None]
    table = np.column_stack([np.ones(len(targets)), standardized(examples.inputs[:, chosen])])
    fitted, *_ = np.linalg.lstsq(table * root, targets * root, rcond=1e-8)
    left = (targets - table @ fitted) * root**2
    explained = left.std(0) <= 1e-6 * targets.std(0)
    left = standardized(standardized(left).clip(-3, 3))
    return np.where(explained, 0, left).astype(np.float32)


def _blocks(scores: Array, left: Array) -> Iterator[tuple[int, Array]]:
    """Yield the strongest correlation of every product with a residual, times √N, by blocks.

    A block has the products of some columns with themselves and all columns after them.

    Shape: (N, D), (N, T) -> first column i, and up to 128 rows of (D - i) products.
    """
    n_rows, n_columns = scores.shape
    squares = np.square(scores)
    for start in range(0, n_columns, _BLOCK):
        own, others = scores[:, start : start + _BLOCK], scores[:, start:]
        mean, square = own.T @ others / n_rows, np.square(own).T @ squares[:, start:] / n_rows
        deviation = np.sqrt(np.maximum(square - np.square(mean), 1e-4))
        best = np.zeros_like(mean)
        for residual in left.T:
            np.maximum(best, np.abs((own * residual[:, None]).T @ others), out=best)
        yield start, best / deviation / np.sqrt(n_rows)
