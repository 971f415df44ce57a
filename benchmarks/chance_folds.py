"""How wide is the null distribution of the verdict for other numbers of folds and repetitions?

    python benchmarks/chance_folds.py [--tables 300]   # rows in benchmarks/chance_folds.csv

The K columns most correlated with the target are selected, and ridge regression predicts from them:
nearly linear predictions, for which the null distribution is widest, and which take a millisecond.
A row has the variance of the statistic on tables of noise, relative to permutations with the same
predictions; how often it exceeds the null distribution widened by √2 ("level"); and how often it
does on tables with planted columns ("power").
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

HERE = Path(__file__).resolve().parent
Array = NDArray[np.float64]
Random = np.random.Generator
# Rows, columns, planted and selected columns, effect, and the share of the first class, 0 for none.
TABLES = {
    "60 rows, 50 columns, K = 3, two classes": (60, 50, 3, 3, 0.6, 0.5),
    "100 rows, 30 columns, K = 5, two classes": (100, 30, 5, 5, 0.35, 0.5),
    "120 rows, 40 columns, K = 4, 15 : 85": (120, 40, 4, 4, 0.6, 0.15),
    "80 rows, 30 columns, K = 3, a number": (80, 30, 3, 3, 0.22, 0.0),
    "100 rows, 40 columns, K = 5, a number of all": (100, 40, 40, 5, 0.07, 0.0),
    "100 rows, 10 columns, K = 10, a number": (100, 10, 10, 10, 0.12, 0.0),
    "30 rows, 8 columns, K = 2, a number": (30, 8, 2, 2, 0.5, 0.0),
    "60 rows, 100 columns, K = 1, a number": (60, 100, 1, 1, 0.4, 0.0),
}
SCHEMES = ((2, 1), (2, 5), (3, 1), (3, 3), (5, 1), (5, 2), (10, 1))  # folds, repetitions
THRESHOLD = np.sqrt(2) * norm.isf(0.05)


def table(name: str, planted: bool, random: Random) -> tuple[Array, Array]:
    """Return a table; every other one has correlated columns."""
    n_rows, n_columns, n_planted, _, effect, share = TABLES[name]
    X = random.normal(size=(n_rows, n_columns))
    if random.random() < 0.5:
        X += random.normal(size=(n_rows, 3)) @ random.normal(size=(3, n_columns)) / 2
    if not share:
        y = random.normal(size=n_rows)
        signs = np.sign(random.normal(size=n_planted))
        return X, y + planted * effect * X[:, :n_planted] @ signs
    y = random.permutation((np.arange(n_rows) < share * n_rows).astype(float))
    X[:, :n_planted] += planted * effect * y[:, None]
    return X, y


def folds_of(y: Array, n_folds: int, classes: bool, random: Random) -> NDArray[np.int64]:
    """Return the fold of every row, stratified by class."""
    fold = np.empty(len(y), dtype=int)
    for rows in [np.flatnonzero(y == c) for c in np.unique(y)] if classes else [np.arange(len(y))]:
        places = (np.arange(len(rows)) + random.integers(n_folds)) % n_folds
        fold[random.permutation(rows)] = places
    return fold


def predict(X: Array, y: Array, new: Array, k: int) -> Array:
    """Predict with ridge regression on the K columns that are most correlated with y."""
    mean = X.mean(0)
    Z, target = X - mean, y - y.mean()
    correlation = np.abs(Z.T @ target) / np.sqrt(np.square(Z).sum(0))
    best = np.argpartition(-correlation, k - 1)[:k]
    own = Z[:, best]
    weights = np.linalg.solve(own.T @ own + np.eye(k), own.T @ target)
    return (new[:, best] - mean[best]) @ weights


def statistic(X: Array, y: Array, k: int, scheme: tuple[int, int], random: Random) -> float:
    """Return the association in standard deviations for permuted targets."""
    n_folds, n_repeats = scheme
    classes = len(np.unique(y)) == 2
    scores, true = np.zeros(len(y)), rankdata(y)
    for _ in range(n_repeats):
        fold = folds_of(y, n_folds, classes, random)
        for number in range(n_folds):
            test = fold == number
            ranks = rankdata(predict(X[~test], y[~test], X[test], k))
            scores[test] += (ranks - ranks.mean()) / max(ranks.std(), 1e-12)
    true = true - true.mean()
    size = np.sqrt(np.square(scores).sum() * np.square(true).sum() / (len(y) - 1))
    return float(scores @ true / size)


def main() -> None:
    """Simulate all tables and numbers of folds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=300, help="of noise, and with a signal")
    n_tables = parser.parse_args().tables
    found = []
    for number, (name, (_, _, _, k, _, _)) in enumerate(TABLES.items()):
        statistics = np.empty((2, n_tables, len(SCHEMES)))
        for planted in (0, 1):
            for seed in range(n_tables):
                random = np.random.default_rng([number, planted, seed])
                X, y = table(name, bool(planted), random)
                statistics[planted, seed] = [statistic(X, y, k, each, random) for each in SCHEMES]
        for scheme, noise, signal in zip(SCHEMES, *statistics.transpose(0, 2, 1), strict=True):
            row = {"table": name, "folds": scheme[0], "repetitions": scheme[1], "tables": n_tables}
            row |= {"variance": round(noise.var(), 3), "level": (noise > THRESHOLD).mean().round(4)}
            found.append(row | {"power": (signal > THRESHOLD).mean().round(4)})
    with (HERE / "chance_folds.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    for scheme in SCHEMES:
        own = [row for row in found if (row["folds"], row["repetitions"]) == scheme]
        means = {key: np.mean([row[key] for row in own]) for key in ("variance", "level", "power")}
        largest = max(row["variance"] for row in own)
        print(scheme, {key: round(float(value), 3) for key, value in means.items()}, largest)


if __name__ == "__main__":
    main()
