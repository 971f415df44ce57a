"""Development tables of ``phase_epochs.py``: generated ones, and rows of training parts.

``MEDIUM`` are the tables of ``medium_tables.py``, with 350 to 2,500 rows. ``LARGE`` are generated
tables of 22,000 and 40,000 rows.

Tables of data sets need a folder with ``mnist.npz``, ``isolet.npz``, ``har.npz`` and
``pbmc3k.npz``, with arrays ``X`` and ``y``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import medium_tables
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification
from tall_tables import TABLES as TALL

Table = tuple[NDArray, NDArray]
TALL_NAMES = (
    *("clusters", "copies", "curves", "exclusive", "friedman-classes"),
    *("interaction", "mixed", "sensors", "weak"),
)


class Case(NamedTuple):
    """A table, given a seed and a folder of data; K; and how many rows are fitted."""

    make: Callable[[int, Path], Table]
    selected: int
    rows: int


def classes(seed: int, _: Path, rows: int) -> Table:
    """Return 60 columns of which 12 determine three classes."""
    return make_classification(
        rows + 4000, 60, n_informative=12, n_redundant=0, n_classes=3, random_state=100 + seed
    )


def counts(seed: int, _: Path) -> Table:
    """Return counts of eight kinds of cells, which differ in 40 of 1,000 columns."""
    random = np.random.default_rng(500 + seed)
    kinds = random.integers(8, size=4000)
    rates = np.exp(random.normal(-1, 1, size=(1, 1000))) * np.ones((8, 1))
    rates[:, :40] *= np.exp(random.normal(0, 0.8, size=(8, 40)))
    return random.poisson(rates[kinds] * np.exp(random.normal(0, 0.3, size=(4000, 1)))), kinds


def stored(_: int, folder: Path, name: str, pooled: bool = False) -> Table:
    """Return rows of a data set; images averaged over 2 × 2 pixels if ``pooled``."""
    with np.load(folder / f"{name}.npz") as arrays:
        X, y = arrays["X"].astype(np.float32), arrays["y"].astype(np.int64)
    if pooled:
        X = X.reshape(-1, 14, 2, 14, 2).mean((2, 4)).reshape(len(X), -1)
    return X, y


def tall(seed: int, _: Path, name: str) -> Table:
    """Return a table with many rows and few columns."""
    X, y, _truth = TALL[name].make(3000 + seed, 10_000)
    return X, y


def large(seed: int, _: Path, name: str, rows: int) -> Table:
    """Return such a table, with rows to score."""
    X, y, _truth = TALL[name].make(7000 + seed, rows + 6000)
    return X, y


CASES: dict[str, Case] = {
    "classes-7500": Case(partial(classes, rows=7500), 10, 7500),
    "classes-12000": Case(partial(classes, rows=12_000), 10, 12_000),
    **{
        f"{name}-6000": Case(partial(tall, name=name), TALL[name].selected, 6000)
        for name in TALL_NAMES
    },
    "pooled-6500": Case(partial(stored, name="mnist", pooled=True), 15, 6500),
    "counts-1950": Case(counts, 10, 1950),
    "digits-1300": Case(lambda _, folder: load_digits(return_X_y=True), 10, 1300),
    "pbmc3k-1900": Case(partial(stored, name="pbmc3k"), 10, 1900),
    "har-3000": Case(partial(stored, name="har"), 10, 3000),
    "isolet-2000": Case(partial(stored, name="isolet"), 25, 2000),
}


def medium(seed: int, _: Path, name: str) -> Table:
    """Return a table of ``medium_tables.py``, with the rows to score."""
    X, y, new, answers = medium_tables.table(name, seed)
    return np.concatenate([X, new]), np.concatenate([y, answers])


MEDIUM: dict[str, Case] = {
    name: Case(partial(medium, name=name), medium_tables.sizes(name)[0], n_rows)
    for tables in (medium_tables.FRESH, medium_tables.GENERATED, medium_tables.REAL)
    for name, (_, n_rows) in tables.items()
}

LARGE: dict[str, Case] = {
    f"{name}-{rows}": case
    for rows in (22_000, 40_000)
    for name, case in {
        "classes": Case(partial(classes, rows=rows), 10, rows),
        **{
            name: Case(partial(large, name=name, rows=rows), TALL[name].selected, rows)
            for name in TALL_NAMES
        },
    }.items()
}
