"""In which order should the selected features of a table with few rows be listed?

    python benchmarks/feature_order.py            # print the means of benchmarks/feature_order.csv
    python benchmarks/feature_order.py --record   # write it, in a few minutes

More columns are selected than matter. A row of the file has, for every order, the probability that
a column that matters comes before one that does not (the area under the ROC curve): 0.5 is chance.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from ipcae import ClassificationSelector, RegressionSelector, SurvivalSelector
from ipcae.feature_table import importance_by_feature

PATH = Path(__file__).with_suffix(".csv")
KINDS = ("two classes", "outliers", "three classes", "numbers", "three numbers", "survival times")
COLUMNS = ("independent", "correlated", "copies")
ORDERS = ("importance", "score", "ranking_")


def inputs(random: np.random.Generator, n_rows: int, n_columns: int, columns: str) -> Any:
    """Return independent columns, blocks with a correlation of 0.6, or four copies with noise."""
    noise = random.normal(size=(n_rows, n_columns))
    if columns == "independent":
        return noise
    block, share, own = (10, 0.6**0.5, 0.4**0.5) if columns == "correlated" else (4, 1.0, 0.4)
    common = random.normal(size=(n_rows, n_columns // block))
    return share * np.repeat(common, block, axis=1) + own * noise


def table(kind: str, columns: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return a selector, a table, its targets, and the columns that matter."""
    random = np.random.default_rng([KINDS.index(kind), COLUMNS.index(columns), seed])
    n_rows, n_columns = int(random.choice([60, 100, 200, 280])), int(random.choice([60, 200, 1000]))
    n_relevant, k = (12, 30) if n_rows > 100 else (6, 15)
    X = inputs(random, n_rows, n_columns, columns)
    relevant = random.choice(n_columns // 4, n_relevant, replace=False) * 4
    weights = random.uniform(0.4, 1.5, n_relevant) * random.choice([-1, 1], n_relevant)
    signal = X[:, relevant] @ weights
    noisy = signal + 0.5 * signal.std() * random.normal(size=n_rows)
    if kind == "numbers":
        return RegressionSelector(k, random_state=0), X, noisy, relevant
    if kind == "three numbers":
        several = X[:, relevant] @ (weights[:, None] * random.normal(size=(n_relevant, 3)))
        y = several + random.normal(size=(n_rows, 3))
        return RegressionSelector(k, random_state=0), X, y, relevant
    if kind == "survival times":
        times = random.exponential(np.exp(-signal))
        ends = random.exponential(2 * np.median(times), n_rows)
        y = np.column_stack([np.minimum(times, ends), times <= ends])
        return SurvivalSelector(k, random_state=0), X, y, relevant
    y = np.digitize(noisy, np.quantile(noisy, [1 / 3, 2 / 3] if kind == "three classes" else [0.5]))
    if kind == "outliers":
        X = X + (random.random(X.shape) < 0.02) * 5 * random.standard_t(2, size=X.shape)
    return ClassificationSelector(k, random_state=0), X, y, relevant


def record(n_seeds: int) -> None:
    """Measure the orders on all kinds of tables."""
    rows = []
    for kind, columns, seed in np.ndindex(len(KINDS), len(COLUMNS), n_seeds):
        selector, X, y, relevant = table(KINDS[kind], COLUMNS[columns], seed)
        selector.fit(X, y)
        selected = selector.get_support(indices=True)
        matters = np.isin(selected, relevant)
        if matters.all() or not matters.any():
            continue
        selection, importance = selector.selection_, selector.importance_[selector.best_run_]
        values = (
            importance_by_feature(selection, importance),
            selection.probability,
            -selector.ranking_,
        )
        areas = [round(roc_auc_score(matters, each[selected]), 3) for each in values]
        rows.append([KINDS[kind], COLUMNS[columns], seed, *X.shape, len(selected), *areas])
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["target", "columns", "seed", "n_rows", "n_columns", "k", *ORDERS])
        writer.writerows(rows)


def summarize() -> None:
    """Print the mean of every order, and its difference from that by importance."""
    areas = defaultdict(list)
    with PATH.open(newline="") as file:
        for row in csv.DictReader(file):
            for name in (row["target"], row["columns"], "all"):
                areas[name].append([float(row[order]) for order in ORDERS])
    for name, values in areas.items():
        found = np.array(values)
        gain = found[:, 2] - found[:, 0]
        error = gain.std(ddof=1) / len(gain) ** 0.5
        means = ", ".join(f"{o} {m:.3f}" for o, m in zip(ORDERS, found.mean(0), strict=True))
        print(f"{name:16} {len(found):3} tables: {means}; gain {gain.mean():.3f} ± {error:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seeds", type=int, default=6)
    given = parser.parse_args()
    if given.record:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record(given.seeds)
    summarize()
