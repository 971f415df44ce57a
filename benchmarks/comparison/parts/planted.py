"""Planted problems: tables whose informative columns are known.

A problem is (X, y, groups). A group is found if one of its columns is selected; the value of a
cell is the share of groups that are found, in percent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification

from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of

SHIFTS = (
    (100, 5000, 1.5),
    (50, 5000, 1.5),
    (50, 500, 2.0),
    (100, 500, 1.0),
    (100, 20000, 2.0),
    (200, 5000, 1.0),
    (500, 5000, 0.8),
    (500, 500, 0.8),
    (200, 20000, 1.5),
)
DEVELOPMENT_SEED = 1000


def shifted(seed: int, rows: int, columns: int, shift: float, rarer: float = 0.15):
    """Ten standard normal columns are shifted in the rows of the rarer class."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    y = np.zeros(rows, int)
    y[rng.permutation(rows)[: round(rarer * rows)]] = 1
    truth = rng.choice(columns, 10, replace=False)
    X[np.ix_(y == 1, truth)] += shift
    return X, y, [[column] for column in truth]


def madelon(seed: int, rows: int = 1000, clusters: int = 2):
    """5 informative columns, 15 mixtures of them, 480 of noise; all 20 are the truth."""
    X, y = make_classification(
        rows,
        500,
        n_informative=5,
        n_redundant=15,
        n_clusters_per_class=clusters,
        shuffle=False,
        random_state=seed,
    )
    order = np.random.default_rng(seed).permutation(500)
    return X[:, order], y, [[column] for column in np.flatnonzero(order < 20)]


def xor(seed: int, rows: int = 400, columns: int = 100, pairs: int = 1):
    """The class is the sign of a sum of products: no column tells anything by itself."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    truth = rng.choice(columns, (pairs, 2), replace=False)
    y = (X[:, truth].prod(2).sum(1) > 0).astype(int)
    return X, y, [[column] for column in truth.ravel()]


def duplicated(seed: int, rows: int = 200, copies: int = 20):
    """Five shifted sources of falling strength, twenty noisy copies of each, and 900 of noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    sources = rng.standard_normal((rows, 5)) + np.outer(y, [2.0, 1.7, 1.4, 1.2, 1.0])
    noisy = np.repeat(sources, copies, axis=1)
    noisy += 0.1 * rng.standard_normal(noisy.shape)
    X = np.hstack([noisy, rng.standard_normal((rows, 900))])
    order = rng.permutation(X.shape[1])
    place = np.argsort(order)
    return X[:, order], y, [place[copies * i : copies * (i + 1)] for i in range(5)]


PROBLEMS: dict[str, tuple[int, Callable[[int], tuple]]] = {
    f"shift-{n}x{d}-{s}": (10, lambda seed, n=n, d=d, s=s: shifted(seed, n, d, s))
    for n, d, s in SHIFTS
} | {
    "madelon": (20, madelon),
    "madelon-16": (20, lambda seed: madelon(seed, 2000, 16)),
    "xor": (2, xor),
    "xor-2": (4, lambda seed: xor(seed, 1000, 100, 2)),
    "duplicated": (5, duplicated),
}


def problems() -> dict[str, tuple[int, ...]]:
    """Return the size of the truth of every problem."""
    return {name: (n_true,) for name, (n_true, _) in PROBLEMS.items()}


def measure(cell: Cell, development: bool) -> Row:
    """Return the share of the truth that is found, in percent."""
    seed = cell.split + DEVELOPMENT_SEED * development
    X, y, groups = PROBLEMS[cell.problem][1](seed)
    chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    return recall(groups, chosen) | {"seconds": f"{seconds:.2f}"}


def recall(groups, chosen) -> Row:
    """Return the share of the groups of which a column is among the chosen, in percent."""
    return {"value": f"{100 * np.mean([np.isin(group, chosen).any() for group in groups]):.2f}"}
