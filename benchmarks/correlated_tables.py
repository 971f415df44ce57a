"""Tables of classes with 5,000 rows or more and more than 200 columns, most of them correlated.

Every kind is a function of a generator of random numbers that returns X, y and the columns that
matter (none are known for real tables). Generated tables have columns in blocks whose members have
the correlation 0.64, unless their name says otherwise. ``planted-…`` tables have the columns of
training rows of real data sets, and generated classes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from comparison import sources
from numpy.typing import NDArray

LOADING = 0.8
MOST_REAL = {"mnist": 16_000, "fashion_mnist": 12_000}
"""Rows that are drawn from the training rows of a data set, if not all."""

Made = tuple[NDArray, NDArray, list[int]]
Random = np.random.Generator


class Table(NamedTuple):
    """How to make a table, the number of features to select, and of rows to select from."""

    make: Callable[[Random], Made]
    selected: int
    rows: int = 6000


def blocks(random: Random, rows: int, n_blocks: int = 50, size: int = 5) -> NDArray:
    """Return standard columns in blocks with correlation 0.64."""
    factor = np.repeat(random.normal(size=(rows, n_blocks)), size, axis=1)
    noise = random.normal(size=(rows, n_blocks * size))
    return LOADING * factor + np.sqrt(1 - LOADING**2) * noise


def chance(random: Random, logits: NDArray, share: float = 0.5) -> NDArray:
    """Return two classes with these logits, the second with about this share of the rows."""
    low, high = -30.0, 30.0
    for _ in range(50):
        middle = (low + high) / 2
        mean = (1 / (1 + np.exp(-(logits + middle)))).mean()
        low, high = (middle, high) if mean < share else (low, middle)
    return (random.uniform(size=len(logits)) < 1 / (1 + np.exp(-(logits + low)))).astype(int)


def signs(random: Random, count: int) -> NDArray:
    """Return 1 and -1 at random."""
    return random.choice([-1.0, 1.0], count)


def linear(random: Random, z: NDArray) -> NDArray:
    """Return equal linear effects."""
    return 1.2 * z @ signs(random, z.shape[1])


def weak(random: Random, z: NDArray) -> NDArray:
    """Return weak linear effects."""
    return 0.3 * z @ signs(random, z.shape[1])


def thresholds(random: Random, z: NDArray) -> NDArray:
    """Return steps at different values."""
    return 1.5 * (z > random.normal(0, 0.8, z.shape[1])) @ signs(random, z.shape[1])


def waves(random: Random, z: NDArray) -> NDArray:
    """Return waves."""
    return 2.0 * np.sin(2.5 * z) @ signs(random, z.shape[1])


def products(random: Random, z: NDArray) -> NDArray:
    """Return products of pairs of columns."""
    return 1.5 * (z[:, ::2] * z[:, 1::2]) @ signs(random, z.shape[1] // 2)


def mixed(random: Random, z: NDArray) -> NDArray:
    """Return linear effects, and a product of two of the columns."""
    return z[:, 2:] @ signs(random, z.shape[1] - 2) + 1.5 * z[:, 0] * z[:, 1]


def two_classes(
    random: Random,
    effect: Callable,
    selected: int,
    share: float = 0.5,
    rows: int = 10_000,
    size: int = 5,
    n_blocks: int = 50,
) -> Made:
    """Return two classes that follow one column of each of several blocks."""
    X = blocks(random, rows, n_blocks, size)
    truth = size * random.choice(n_blocks, selected, replace=False) + random.integers(size)
    y = chance(random, effect(random, X[:, truth]), share)
    return X, y, truth.tolist()


def several_classes(random: Random, n_classes: int, selected: int, noise: float) -> Made:
    """Return the class with the largest of several linear functions of some columns."""
    X = blocks(random, 10_000)
    truth = 5 * random.choice(50, selected, replace=False)
    scores = X[:, truth] @ random.normal(size=(selected, n_classes))
    scores += noise * scores.std() * random.normal(size=scores.shape)
    return X, scores.argmax(1), truth.tolist()


def centers(random: Random, n_classes: int, selected: int, shift: float) -> Made:
    """Return classes with their own means of some columns."""
    X = blocks(random, 10_000)
    truth = 5 * random.choice(50, selected, replace=False)
    y = random.integers(n_classes, size=len(X))
    X[:, truth] += shift * random.normal(size=(n_classes, selected))[y]
    return X, y, truth.tolist()


def toeplitz(random: Random, rows: int, n_columns: int = 300, near: float = 0.9) -> NDArray:
    """Return standard columns, each correlated with its neighbors, as in spectra."""
    X = random.normal(size=(rows, n_columns))
    for column in range(1, n_columns):
        X[:, column] = near * X[:, column - 1] + np.sqrt(1 - near**2) * X[:, column]
    return X


def factors(random: Random, rows: int, n_columns: int = 260, n_factors: int = 12) -> NDArray:
    """Return columns that are sums of common factors and noise."""
    loadings = random.normal(size=(n_factors, n_columns)) / np.sqrt(n_factors)
    common = random.normal(size=(rows, n_factors)) @ loadings
    return common + 0.6 * random.normal(size=(rows, n_columns))


def counts(random: Random, rows: int) -> NDArray:
    """Return counts whose logarithms are sums of common factors and noise."""
    return random.poisson(np.exp(0.7 * factors(random, rows)))


def drawn(random: Random, X: NDArray, effect: Callable, selected: int, share: float = 0.5) -> Made:
    """Return two classes that follow some of the columns."""
    truth = random.choice(X.shape[1], selected, replace=False)
    z = (X[:, truth] - X[:, truth].mean(0)) / X[:, truth].std(0)
    return X, chance(random, effect(random, z), share), truth.tolist()


def classes_of(random: Random, X: NDArray, n_classes: int, selected: int, noise: float) -> Made:
    """Return the class with the largest of several linear functions of some of the columns."""
    truth = random.choice(X.shape[1], selected, replace=False)
    z = (X[:, truth] - X[:, truth].mean(0)) / X[:, truth].std(0)
    scores = z @ random.normal(size=(selected, n_classes))
    scores += noise * scores.std() * random.normal(size=scores.shape)
    return X, scores.argmax(1), truth.tolist()


@cache
def training_rows(name: str) -> tuple[NDArray, NDArray]:
    """Return training rows of a data set."""
    X, _, y, _ = sources.large(name)
    rows = np.random.default_rng(0).permutation(len(X))[: MOST_REAL.get(name)]
    return X[rows].astype(np.float32), np.unique(y[rows], return_inverse=True)[1]


def real(random: Random, name: str, classes: Callable | None = None, rare: float = 0) -> Made:
    """Return rows of a real data set, with other classes if asked for."""
    X, y = training_rows(name)
    order = random.permutation(len(X))
    X, y = X[order], y[order]
    if classes is not None:
        y = classes(y).astype(int)
    if rare:
        ones = np.flatnonzero(y == 1)
        dropped = ones[int(rare * (y == 0).sum()) :]
        X, y = np.delete(X, dropped, axis=0), np.delete(y, dropped)
        order = random.permutation(len(X))
        X, y = X[order], y[order]
    return X, y, []


def planted(random: Random, name: str, effect: Callable, selected: int, share: float = 0.5) -> Made:
    """Return the columns of a real data set, with classes that follow some of them."""
    X, _ = training_rows(name)
    X = X[random.permutation(len(X))]
    varying = np.flatnonzero(X.std(0) > 0.3 * np.median(X.std(0)))
    truth = random.choice(varying, selected, replace=False)
    z = (X[:, truth] - X[:, truth].mean(0)) / X[:, truth].std(0)
    return X, chance(random, effect(random, z), share), truth.tolist()


def even(y: NDArray) -> NDArray:
    """Return whether a digit is even."""
    return y % 2 == 0


TABLES: dict[str, Table] = {
    "linear": Table(lambda r: two_classes(r, linear, 8), 8),
    "weak": Table(lambda r: two_classes(r, weak, 20), 20),
    "thresholds": Table(lambda r: two_classes(r, thresholds, 8), 8),
    "waves": Table(lambda r: two_classes(r, waves, 6), 6),
    "products": Table(lambda r: two_classes(r, products, 8), 8),
    "mixed": Table(lambda r: two_classes(r, mixed, 8), 8),
    "rare": Table(lambda r: two_classes(r, linear, 6, 0.02), 6),
    "rare-weak": Table(lambda r: two_classes(r, weak, 10, 0.05), 10),
    "small-blocks": Table(lambda r: two_classes(r, linear, 15, size=2, n_blocks=150), 15),
    "large-blocks": Table(lambda r: two_classes(r, linear, 10, size=20, n_blocks=20), 10),
    "twenty": Table(lambda r: several_classes(r, 20, 12, 0.3), 12),
    "five": Table(lambda r: several_classes(r, 5, 8, 0.5), 8),
    "centers": Table(lambda r: centers(r, 10, 10, 0.7), 10),
    "toeplitz-linear": Table(lambda r: drawn(r, toeplitz(r, 10_000), linear, 8), 8),
    "toeplitz-thresholds": Table(lambda r: drawn(r, toeplitz(r, 10_000), thresholds, 8), 8),
    "toeplitz-mixed": Table(lambda r: drawn(r, toeplitz(r, 10_000), mixed, 10), 10),
    "factors-linear": Table(lambda r: drawn(r, factors(r, 10_000), linear, 10), 10),
    "factors-products": Table(lambda r: drawn(r, factors(r, 10_000), products, 8), 8),
    "factors-rare": Table(lambda r: drawn(r, factors(r, 10_000), linear, 8, 0.03), 8),
    "factors-ten": Table(lambda r: classes_of(r, factors(r, 10_000), 10, 12, 0.3), 12),
    "counts-five": Table(lambda r: classes_of(r, counts(r, 10_000), 5, 10, 0.5), 10),
    "independent": Table(lambda r: drawn(r, r.normal(size=(10_000, 300)), linear, 10), 10),
    "independent-weak": Table(lambda r: drawn(r, r.normal(size=(10_000, 300)), weak, 20), 20),
    "linear-110000": Table(
        lambda r: two_classes(r, linear, 8, rows=112_500, n_blocks=45), 8, 110_000
    ),
    "ten-110000": Table(lambda r: classes_of(r, factors(r, 112_500), 10, 12, 0.3), 12, 110_000),
    "mnist": Table(lambda r: real(r, "mnist"), 50),
    "mnist-25": Table(lambda r: real(r, "mnist"), 25),
    "mnist-12000": Table(lambda r: real(r, "mnist"), 50, 12_000),
    "mnist-even": Table(lambda r: real(r, "mnist", even), 30),
    "mnist-rare": Table(lambda r: real(r, "mnist", lambda y: y == 8, 0.03), 20),
    "fashion": Table(lambda r: real(r, "fashion_mnist"), 50),
    "fashion-shirt": Table(lambda r: real(r, "fashion_mnist", lambda y: y == 6), 20),
    "isolet": Table(lambda r: real(r, "isolet"), 50, 5000),
    "isolet-100": Table(lambda r: real(r, "isolet"), 100, 5000),
    "isolet-even": Table(lambda r: real(r, "isolet", even), 30, 5000),
    "har": Table(lambda r: real(r, "har"), 50, 5800),
    "har-10": Table(lambda r: real(r, "har"), 10, 5800),
    "planted-isolet": Table(lambda r: planted(r, "isolet", linear, 10), 10, 5000),
    "planted-har": Table(lambda r: planted(r, "har", weak, 12), 12, 5800),
    "planted-fashion": Table(lambda r: planted(r, "fashion_mnist", mixed, 10), 10),
    "planted-isolet-rare": Table(lambda r: planted(r, "isolet", linear, 6, 0.04), 6, 5000),
}


def made(name: str, seed: int) -> tuple[NDArray, NDArray, NDArray, NDArray, list[int]]:
    """Return the rows to select by, new rows, and the columns that matter."""
    table = TABLES[name]
    X, y, truth = table.make(np.random.default_rng([zlib.crc32(name.encode()), seed]))
    new = slice(table.rows, table.rows + 2500)
    return X[: table.rows], np.asarray(y)[: table.rows], X[new], np.asarray(y)[new], truth
