"""Generated tables with many rows and few to medium columns, with the columns that matter.

Every function returns X, y and the sets of columns that matter: one column of each set is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from comparison.parts import common
from numpy.typing import NDArray
from sklearn import datasets

Truth = list[set[int]]
Made = tuple[Any, NDArray, Truth]


class Tall(NamedTuple):
    """A table: how to make it with a seed and a number of rows, and how many features to select."""

    make: Callable[[int, int], Made]
    classes: bool
    selected: int


def _alone(*columns: int) -> Truth:
    return [{column} for column in columns]


def _chance(random: np.random.Generator, logits: NDArray) -> NDArray:
    return (random.uniform(size=len(logits)) < 1 / (1 + np.exp(-logits))).astype(int)


def _shuffled(random: np.random.Generator, X: NDArray, y: NDArray, truth: Truth) -> Made:
    order = random.permutation(X.shape[1])
    place = np.argsort(order)
    return X[:, order], y, [{int(place[column]) for column in each} for each in truth]


def interaction(seed: int, rows: int, columns: int) -> Made:
    """Two classes: a product of two columns and a linear effect."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    y = _chance(random, 2.5 * X[:, 0] * X[:, 1] + 1.2 * X[:, 2] + 0.4 * X[:, 3])
    return _shuffled(random, X, y, _alone(0, 1, 2))


def exclusive(seed: int, rows: int, columns: int) -> Made:
    """Two classes: two pairs of columns that matter only together, by their signs."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    y = _chance(random, 2.5 * np.sign(X[:, 0] * X[:, 1]) + 1.8 * np.sign(X[:, 2] * X[:, 3]))
    return _shuffled(random, X, y, _alone(0, 1, 2, 3))


def parity(seed: int, rows: int, columns: int) -> Made:
    """Two classes: the sign of a product of three columns."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(rows, columns))
    y = _chance(random, 4 * np.sign(X[:, :3].prod(1)))
    return _shuffled(random, X, y, _alone(0, 1, 2))


def friedman_classes(seed: int, rows: int, columns: int) -> Made:
    """Three classes: Friedman's first problem, cut at its terciles."""
    X, y = datasets.make_friedman1(rows, columns, noise=1.0, random_state=seed)
    y = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    return _shuffled(np.random.default_rng(seed), X, y, _alone(0, 1, 2, 3, 4))


def clusters(seed: int, rows: int, columns: int) -> Made:
    """Eight classes: clusters in six dimensions, and ten mixtures of these columns."""
    X, y = datasets.make_classification(
        rows,
        columns,
        n_informative=6,
        n_redundant=10,
        n_classes=8,
        n_clusters_per_class=2,
        class_sep=1.2,
        shuffle=False,
        random_state=seed,
    )
    random = np.random.default_rng(seed)
    order = random.permutation(rows)  # the clusters follow each other
    return _shuffled(random, X[order], y[order], [])


def rare(seed: int, rows: int, columns: int) -> Made:
    """Two classes, one with about 5 % of the rows: linear effects, a threshold and a product."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:, 5:10] += X[:, :5]
    logits = X[:, 0] + 1.5 * (X[:, 1] > 1) + X[:, 2] * X[:, 3] - 0.8 * X[:, 4]
    return _shuffled(random, X, _chance(random, logits - 4.2), _alone(0, 1, 2, 3, 4))


def weak(seed: int, rows: int, columns: int, classes: bool) -> Made:
    """Weak effects: two linear ones, a curve, a step and a product, in columns with neighbors."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:, 1:] += 0.5 * X[:, :-1]
    a = X[:, 0:30:5] / X[:, 0:30:5].std(0)
    y = 0.3 * a[:, 0] - 0.25 * a[:, 1] + 0.3 * np.abs(a[:, 2]) + 0.5 * (a[:, 3] > 1)
    y += 0.3 * a[:, 4] * a[:, 5]
    y = _chance(random, y - y.mean()) if classes else y + 1.5 * random.normal(size=rows)
    return _shuffled(random, X, y, _alone(*range(0, 30, 5)))


def _sensors(seed: int, rows: int, columns: int, classes: bool) -> Made:
    return *common.sensors(seed, rows, columns, classes), []


def _mixed(seed: int, rows: int, columns: int, classes: bool) -> Made:
    return *common.mixed(seed, rows, columns, classes), []


def categories(seed: int, rows: int, columns: int) -> Made:
    """Two classes: levels of two categories, one in combination with a number, among others."""
    import pandas as pd  # may be missing on a machine that only measures

    random = np.random.default_rng(seed)
    numbers = random.normal(size=(rows, columns))
    levels = random.integers(0, 6, size=(rows, 6))
    effect, slope = random.normal(size=6), random.normal(0, 1.5, size=6)
    logits = 1.5 * effect[levels[:, 0]] + slope[levels[:, 1]] * numbers[:, 0] + numbers[:, 1]
    X = pd.DataFrame(numbers, columns=[f"n{i}" for i in range(columns)])
    for number in range(6):
        X[f"c{number}"] = np.array(list("abcdef"))[levels[:, number]]
    return X, _chance(random, logits), _alone(columns, columns + 1, 0, 1)


def tails(seed: int, rows: int, columns: int) -> Made:
    """Two classes: columns with heavy tails that matter by their ranks."""
    random = np.random.default_rng(seed)
    X = random.standard_t(1.3, size=(rows, columns))
    X[:, ::2] = np.exp(1.5 * random.normal(size=X[:, ::2].shape))
    z = X.argsort(0).argsort(0) / rows - 0.5
    logits = 8 * z[:, 0] + 6 * np.abs(z[:, 1]) + 25 * z[:, 2] * z[:, 3] - 1.5
    return _shuffled(random, X, _chance(random, logits), _alone(0, 1, 2, 3))


def curves(seed: int, rows: int, columns: int, classes: bool) -> Made:
    """Ten correlated columns with curves, waves and steps, and one pair of them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:, 1:] += 0.5 * X[:, :-1]
    used = np.arange(0, 5 * 10, 5) if columns >= 50 else np.arange(10)
    a = X[:, used] / X[:, used].std(0)
    y = a[:, 0] + np.abs(a[:, 1]) + np.sin(3 * a[:, 2]) + (a[:, 3] > 0.5) + a[:, 4] * a[:, 5]
    y += np.cos(2 * a[:, 6]) + np.maximum(a[:, 7], 0) - a[:, 8] ** 2 / 2 + np.tanh(3 * a[:, 9])
    y += 0.5 * random.normal(size=rows)
    return _shuffled(
        random, X, (y > np.median(y)).astype(int) if classes else y, _alone(*map(int, used))
    )


def rings(seed: int, rows: int, columns: int) -> Made:
    """Three classes: the distance from the center in two of the columns."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    radius = np.hypot(X[:, 0], X[:, 1]) + 0.2 * random.normal(size=rows)
    return _shuffled(random, X, np.digitize(radius, [0.8, 1.5]), _alone(0, 1))


def copies(seed: int, rows: int, columns: int, classes: bool) -> Made:
    """Every column has three noisy copies; four of the originals matter, two of them together."""
    random = np.random.default_rng(seed)
    original = random.normal(size=(rows, columns // 4))
    X = np.repeat(original, 4, axis=1)
    X += 0.1 * random.normal(size=X.shape)
    y = 1.5 * original[:, 0] + original[:, 1] + 1.5 * original[:, 2] * original[:, 3]
    y = _chance(random, 2 * y) if classes else y + 0.5 * random.normal(size=rows)
    return _shuffled(random, X, y, [set(range(4 * i, 4 * i + 4)) for i in range(4)])


def friedman(seed: int, rows: int, which: int) -> Made:
    """One of Friedman's problems, with columns that do not matter."""
    random = np.random.default_rng(seed)
    if which == 1:
        X, y = datasets.make_friedman1(rows, 20, noise=1.0, random_state=seed)
        return _shuffled(random, X, y, _alone(0, 1, 2, 3, 4))
    make = datasets.make_friedman2 if which == 2 else datasets.make_friedman3
    X, y = make(rows, random_state=seed)
    X = np.hstack([X, random.normal(size=(rows, 12))])
    y = y + 0.2 * y.std() * random.normal(size=rows)
    return _shuffled(random, X, y, _alone(1, 2, 0))


def products(seed: int, rows: int, columns: int) -> Made:
    """Numbers: the sum of two products, with noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    y = X[:, 0] * X[:, 1] + 0.8 * X[:, 2] * X[:, 3] + 0.5 * random.normal(size=rows)
    return _shuffled(random, X, y, _alone(0, 1, 2, 3))


def linear(seed: int, rows: int, columns: int) -> Made:
    """Numbers: a linear relation with eight of many columns whose neighbors are correlated."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    for column in range(1, columns):
        X[:, column] = 0.8 * X[:, column - 1] + 0.6 * X[:, column]
    used = random.choice(columns, 8, replace=False)
    y = X[:, used] @ random.choice([-1, 1], 8) + 2 * random.normal(size=rows)
    return _shuffled(random, X, y, _alone(*map(int, used)))


def skewed(seed: int, rows: int, columns: int) -> Made:
    """Skewed positive numbers, such as costs: effects multiply."""
    random = np.random.default_rng(seed)
    X = np.exp(0.8 * random.normal(size=(rows, columns)))
    z = np.log(X)
    y = np.exp(0.6 * z[:, 0] + 0.5 * z[:, 1] + 0.5 * z[:, 2] * (z[:, 3] > 0))
    y *= np.exp(0.3 * random.normal(size=rows))
    return _shuffled(random, X, y, _alone(0, 1, 2, 3))


def outputs(seed: int, rows: int, columns: int) -> Made:
    """Three numbers that depend on different columns."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:, 6:12] += X[:, :6]
    y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] + np.abs(X[:, 3]), np.sin(2 * X[:, 4])])
    y[:, 2] += 0.5 * X[:, 5]
    y += 0.3 * random.normal(size=y.shape)
    return _shuffled(random, X, y, _alone(0, 1, 2, 3, 4, 5))


def _places(seed: int, rows: int) -> Made:
    return *common.places(seed, rows, 12), _alone(0, 1, 2, 3)


TABLES = {
    "interaction": Tall(partial(interaction, columns=12), True, 3),
    "exclusive": Tall(partial(exclusive, columns=20), True, 4),
    "exclusive-80": Tall(partial(exclusive, columns=80), True, 4),
    "parity": Tall(partial(parity, columns=10), True, 3),
    "friedman-classes": Tall(partial(friedman_classes, columns=30), True, 5),
    "clusters": Tall(partial(clusters, columns=40), True, 6),
    "rare": Tall(partial(rare, columns=30), True, 5),
    "weak": Tall(partial(weak, columns=40, classes=True), True, 6),
    "sensors": Tall(partial(_sensors, columns=60, classes=True), True, 6),
    "mixed": Tall(partial(_mixed, columns=40, classes=True), True, 6),
    "categories": Tall(partial(categories, columns=12), True, 4),
    "tails": Tall(partial(tails, columns=24), True, 4),
    "curves": Tall(partial(curves, columns=200, classes=True), True, 10),
    "rings": Tall(partial(rings, columns=50), True, 2),
    "copies": Tall(partial(copies, columns=40, classes=True), True, 4),
    "friedman1": Tall(partial(friedman, which=1), False, 5),
    "friedman2": Tall(partial(friedman, which=2), False, 3),
    "friedman3": Tall(partial(friedman, which=3), False, 3),
    "products": Tall(partial(products, columns=15), False, 4),
    "linear": Tall(partial(linear, columns=100), False, 8),
    "skewed": Tall(partial(skewed, columns=20), False, 4),
    "outputs": Tall(partial(outputs, columns=30), False, 6),
    "number-weak": Tall(partial(weak, columns=40, classes=False), False, 6),
    "places": Tall(_places, False, 4),
    "number-sensors": Tall(partial(_sensors, columns=60, classes=False), False, 6),
    "number-mixed": Tall(partial(_mixed, columns=40, classes=False), False, 6),
    "number-curves": Tall(partial(curves, columns=100, classes=False), False, 10),
    "number-copies": Tall(partial(copies, columns=40, classes=False), False, 4),
}
