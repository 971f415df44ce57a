"""Tables of other kinds: those that come with scikit-learn, and generated ones with many rows.

The generated ones are mixed measurements (numbers and codes) whose relations have thresholds,
sensors that repeat a few sources, and smooth relations. With ``development``, others of the same
kind are generated, and training rows are split again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from comparison import judges
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of
from comparison.parts.planted import DEVELOPMENT_SEED

MOST_TEST_ROWS = 1500


class Problem(NamedTuple):
    """A table: its task, how to make it with a seed, and the numbers of features to select."""

    task: str
    make: Callable[[int], tuple]
    sizes: tuple[int, ...]


def mixed(seed: int, rows: int, columns: int, classes: bool):
    """Half of the columns are codes; the target is a deep tree of six columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    codes = np.arange(0, columns, 2)
    X[:, codes] = rng.integers(0, rng.integers(2, 9, len(codes)) + 1, (rows, len(codes)))
    used = rng.choice(columns, 6, replace=False)
    tree = DecisionTreeRegressor(max_leaf_nodes=24, max_features=2, random_state=seed)
    some = X[:1000, used]
    y = tree.fit(some, rng.normal(size=len(some))).predict(X[:, used])
    y = y / y.std() + 0.3 * rng.normal(size=rows)
    return X, (np.digitize(y, np.quantile(y, [1 / 3, 2 / 3])) if classes else y)


def sensors(seed: int, rows: int, columns: int, classes: bool):
    """Every column is a mixture of two of eight sources, four of which matter, also squared."""
    rng = np.random.default_rng(seed)
    sources = rng.normal(size=(rows, 8))
    X = 0.4 * rng.normal(size=(rows, columns))
    for column in X.T:
        column += sources[:, rng.choice(8, 2, replace=False)] @ rng.normal(size=2)
    a, b, c, d = sources[:, :4].T
    y = a + 0.7 * b**2 + c * d + 0.3 * rng.normal(size=rows)
    return X, (np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75])) if classes else y)


def smooth(seed: int, rows: int, columns: int):
    """Friedman's first problem among columns that have nothing to do with it."""
    return datasets.make_friedman1(rows, columns, noise=1.0, random_state=seed)


def places(seed: int, rows: int, columns: int):
    """Prices by place: bumps on a map, and three columns with linear effects."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(rows, columns))
    centers = rng.uniform(size=(6, 2))
    near = np.exp(-30 * np.square(X[:, None, :2] - centers).sum(2))
    y = near @ rng.normal(2, 1, 6) + X[:, 2:5] @ [1.0, -0.7, 0.5] + 0.2 * rng.normal(size=rows)
    return X, y


def _bundled(load: Callable) -> Callable[[int], tuple]:
    return lambda seed: load(return_X_y=True)


CLASSES, NUMBERS = "classification", "regression"
PROBLEMS = {
    "wine": Problem(CLASSES, _bundled(datasets.load_wine), (3, 5)),
    "breast_cancer": Problem(CLASSES, _bundled(datasets.load_breast_cancer), (3, 10)),
    "digits": Problem(CLASSES, _bundled(datasets.load_digits), (8, 16)),
    "diabetes": Problem(NUMBERS, _bundled(datasets.load_diabetes), (3, 5)),
    "mixed-250x20": Problem(CLASSES, lambda seed: mixed(seed, 350, 20, True), (6,)),
    "mixed-3000x40": Problem(CLASSES, lambda seed: mixed(seed, 4500, 40, True), (6,)),
    "mixed-8000x40": Problem(CLASSES, lambda seed: mixed(seed, 9500, 40, True), (6,)),
    "mixed-numbers-3000x40": Problem(NUMBERS, lambda seed: mixed(seed, 4500, 40, False), (6,)),
    "sensors-3000x60": Problem(CLASSES, lambda seed: sensors(seed, 4500, 60, True), (8,)),
    "sensors-15000x60": Problem(CLASSES, lambda seed: sensors(seed, 16500, 60, True), (8,)),
    "sensors-numbers-3000x60": Problem(NUMBERS, lambda seed: sensors(seed, 4500, 60, False), (8,)),
    "smooth-3000x30": Problem(NUMBERS, lambda seed: smooth(seed, 4500, 30), (5,)),
    "smooth-10000x30": Problem(NUMBERS, lambda seed: smooth(seed, 11500, 30), (5,)),
    "places-3000x12": Problem(NUMBERS, lambda seed: places(seed, 4500, 12), (5,)),
    "places-10000x12": Problem(NUMBERS, lambda seed: places(seed, 11500, 12), (5,)),
}


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return {name: problem.sizes for name, problem in PROBLEMS.items()}


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows, and judge the columns on the others by four models."""
    return judged(PROBLEMS[cell.problem], cell, development)


def judged(problem: Problem, cell: Cell, development: bool) -> Row:
    """Make the table of a cell, select on its training rows, and judge on the others."""
    X, y = problem.make(cell.split + DEVELOPMENT_SEED * development)
    share = min(0.3, MOST_TEST_ROWS / len(X))
    parts = (X, y)
    for again in range(1 + development):
        strata = parts[1] if problem.task == CLASSES else None
        X, X_test, y, y_test = train_test_split(
            *parts, test_size=share, stratify=strata, random_state=cell.split + 100 * again
        )
        parts = (X, y)
    select = selection_of(cell.method, problem.task)
    chosen, seconds = timed(select, X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        (judges.classifiers if problem.task == CLASSES else judges.regressors)(cell.split),
        *(X[:, chosen], y, X_test[:, chosen], y_test),
    )
    return judges.as_row(found, seconds)
