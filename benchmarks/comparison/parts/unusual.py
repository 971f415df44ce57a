"""Generated tables of kinds that no default was tuned for.

Heavy tails, outliers, codes without an order, counts, rare classes, twenty classes, interactions
without an effect of their own, skewed targets. Every split is another table of the same kind; with
``development``, others are generated.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn import datasets

from comparison.cells import Cell, Row
from comparison.parts.common import CLASSES, NUMBERS, Problem, judged

SIZES = 5, 10, 25


def heavy_tails(seed: int, rows: int = 500, columns: int = 60):
    """Student columns with 1.5 degrees of freedom; the class depends on their logarithms."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, (rows, columns))
    size = np.sign(X[:, :5]) * np.log1p(np.abs(X[:, :5]))
    return X, (size @ [1.0, -1.0, 0.8, 0.8, -0.6] + 0.5 * rng.normal(size=rows) > 0).astype(int)


def exclusive_or(seed: int, rows: int = 800, columns: int = 30):
    """Two pairs of columns, of which only the products of signs matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    first, second = X[:, 0] * X[:, 1] > 0, X[:, 2] * X[:, 3] > 0
    return X, 2 * first.astype(int) + second


def many_classes(seed: int, rows: int = 1400, columns: int = 100):
    """Twenty classes, fifteen informative columns and fifteen that repeat them."""
    return datasets.make_classification(
        rows,
        columns,
        n_informative=15,
        n_redundant=15,
        n_classes=20,
        n_clusters_per_class=1,
        class_sep=2.0,
        random_state=seed,
    )


def rare_class(seed: int, rows: int = 1400, columns: int = 50):
    """One row of sixteen is of the second class."""
    return datasets.make_classification(
        rows,
        columns,
        n_informative=8,
        n_redundant=4,
        weights=[0.94],
        class_sep=1.5,
        random_state=seed,
    )


def genes(seed: int, rows: int = 700, columns: int = 400):
    """Counts of four types; five genes are more frequent in each of them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, rows)
    rates = np.tile(rng.lognormal(-1, 1.5, columns), (rows, 1))
    for kind in range(4):
        rates[np.ix_(y == kind, np.arange(5) + 5 * kind)] *= 3
    return rng.poisson(rates * rng.lognormal(0, 0.5, (rows, 1))).astype(float), y


def rings(seed: int, rows: int = 800, columns: int = 30):
    """The class is the distance from the center in three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    radius = np.square(X[:, :3]).sum(1)
    return X, np.digitize(radius, np.quantile(radius, [1 / 3, 2 / 3]))


def chain(seed: int, rows: int = 430, columns: int = 200):
    """Neighboring columns are alike (correlation 0.95); five distant ones matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    for column in range(1, columns):
        X[:, column] = 0.95 * X[:, column - 1] + (1 - 0.95**2) ** 0.5 * X[:, column]
    score = X[:, 20::40] @ [1.5, -1.5, 1.0, 1.0, -1.0] + 0.5 * rng.normal(size=rows)
    return X, (score > 0).astype(int)


def outliers(seed: int, rows: int = 700, columns: int = 60):
    """One value of a hundred is a thousand times too large."""
    X, y = datasets.make_classification(
        rows, columns, n_informative=6, n_redundant=6, n_classes=3, random_state=seed
    )
    wrong = np.random.default_rng(seed).random(X.shape) < 0.01
    return np.where(wrong, 1000 * X, X), y


def codes(seed: int, rows: int = 1000, columns: int = 40):
    """Ten codes without an order in every column; four columns matter."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 10, (rows, columns))
    score = sum(rng.normal(size=10)[X[:, column]] for column in range(4))
    score = score + 0.5 * rng.normal(size=rows)
    return X.astype(float), np.digitize(score, np.quantile(score, [0.5]))


def tiny(seed: int, rows: int = 60, columns: int = 300):
    """Sixty rows of two classes."""
    return datasets.make_classification(
        rows, columns, n_informative=5, n_redundant=10, class_sep=1.5, random_state=seed
    )


def impedance(seed: int, which: int, rows: int = 900, columns: int = 30):
    """Friedman's second or third problem; other columns have the same ranges but no effect."""
    make = (datasets.make_friedman2, datasets.make_friedman3)[which - 2]
    X, y = make(rows, random_state=seed)
    others = np.random.default_rng(seed).permuted(np.tile(X, (1, columns // 4)), axis=0)
    return np.hstack([X, others]), y / y.std() + 0.1 * np.random.default_rng(seed).normal(size=rows)


def wide_numbers(seed: int, rows: int = 140, columns: int = 1000):
    """Ten of a thousand columns, 98 training rows."""
    return datasets.make_regression(rows, columns, n_informative=10, noise=10, random_state=seed)


def uncorrelated(seed: int, rows: int = 300, columns: int = 100):
    """scikit-learn's sparse uncorrelated design."""
    return datasets.make_sparse_uncorrelated(rows, columns, random_state=seed)


def skewed(seed: int, rows: int = 700, columns: int = 50):
    """The target is the exponential of a sum of four columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, np.exp(X[:, :4] @ [1.0, -0.8, 0.6, 0.6] + 0.3 * rng.normal(size=rows))


def outlying_target(seed: int, rows: int = 400, columns: int = 80):
    """Noise of the target with two degrees of freedom."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X[:, :6] @ [2.0, -2.0, 1.5, 1.5, 1.0, -1.0] + rng.standard_t(2, rows)


def waves(seed: int, rows: int = 900, columns: int = 25):
    """A sine, a square and a product, none of which is linear."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (rows, columns))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2] * X[:, 3]
    return X, y + 0.3 * rng.normal(size=rows)


PROBLEMS = {
    **{
        make.__name__.replace("_", "-"): Problem(CLASSES, make, SIZES)
        for make in (
            *(heavy_tails, exclusive_or, many_classes, rare_class, genes),
            *(rings, chain, outliers, codes, tiny),
        )
    },
    "impedance": Problem(NUMBERS, partial(impedance, which=2), SIZES),
    "phase": Problem(NUMBERS, partial(impedance, which=3), SIZES),
    **{
        make.__name__.replace("_", "-"): Problem(NUMBERS, make, SIZES)
        for make in (wide_numbers, uncorrelated, skewed, outlying_target, waves)
    },
}


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    sizes = {name: problem.sizes for name, problem in PROBLEMS.items()}
    return sizes | {"waves": SIZES[:-1]}  # fewer than there are columns


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows, and judge the columns on the others by four models."""
    return judged(PROBLEMS[cell.problem], cell, development)
