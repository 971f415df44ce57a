"""Planted problems whose target is a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of
from comparison.parts.planted import DEVELOPMENT_SEED, recall


def linear(seed: int, rows: int, columns: int, noise: float, correlation: float = 0.0):
    """Ten columns have weights ±1; neighboring columns may be correlated."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    for column in range(1, columns if correlation else 0):
        X[:, column] = correlation * X[:, column - 1] + np.sqrt(1 - correlation**2) * X[:, column]
    truth = rng.choice(columns, 10, replace=False)
    y = X[:, truth] @ rng.choice([-1.0, 1.0], 10) + noise * rng.standard_normal(rows)
    return X, y, [[column] for column in truth]


def several(seed: int, rows: int, columns: int):
    """Five targets share the same ten columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    truth = rng.choice(columns, 10, replace=False)
    y = X[:, truth] @ rng.standard_normal((10, 5)) + 2 * rng.standard_normal((rows, 5))
    return X, y, [[column] for column in truth]


def friedman(seed: int, rows: int, columns: int):
    """The first problem of Friedman (1991): five columns, one product, one square."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(rows, columns))
    truth = rng.choice(columns, 5, replace=False)
    a, b, c, d, e = X[:, truth].T
    y = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    return X, y + rng.standard_normal(rows), [[column] for column in truth]


PROBLEMS: dict[str, tuple[int, Callable[[int], tuple]]] = {
    **{
        f"linear-{n}x{d}": (10, lambda seed, n=n, d=d: linear(seed, n, d, 1.0))
        for n, d in ((50, 500), (100, 1000), (100, 5000), (200, 5000), (500, 1000))
    },
    "correlated-100x1000": (10, lambda seed: linear(seed, 100, 1000, 1.0, 0.9)),
    "correlated-400x1000": (10, lambda seed: linear(seed, 400, 1000, 1.0, 0.9)),
    "several-100x1000": (10, lambda seed: several(seed, 100, 1000)),
    "several-300x1000": (10, lambda seed: several(seed, 300, 1000)),
    **{
        f"friedman-{n}x{d}": (5, lambda seed, n=n, d=d: friedman(seed, n, d))
        for n, d in ((100, 200), (300, 200), (1000, 200))
    },
}


def problems() -> dict[str, tuple[int, ...]]:
    """Return the size of the truth of every problem."""
    return {name: (n_true,) for name, (n_true, _) in PROBLEMS.items()}


def measure(cell: Cell, development: bool) -> Row:
    """Return the share of the truth that is found, in percent."""
    seed = cell.split + DEVELOPMENT_SEED * development
    X, y, groups = PROBLEMS[cell.problem][1](seed)
    select = selection_of(cell.method, "regression")
    chosen, seconds = timed(select, X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    return recall(groups, chosen) | {"seconds": f"{seconds:.2f}"}
