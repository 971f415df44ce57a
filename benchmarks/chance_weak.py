"""How often is a weak signal called better than chance, compared with tests of all columns?

    python benchmarks/chance_weak.py --tables 25   # rows in benchmarks/chance_weak.csv
    python benchmarks/chance_weak.py --show        # the rates

"verdict" is ``chance_test`` with the default method, and "five folds" the same with five folds and
no repetitions. The others test, with 199 permutations, whether any column is related to the target.
A run adds the rows that are missing. Half of the tables have correlated columns.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for its neighbors, wherever this is run from

from benchmarks.missing_rows import Row, measure_missing, read_rows  # noqa: E402

# Rows, columns, planted and selected columns, effect, and the share of the first class, 0 for none.
TABLES = {
    "60 rows, 50 columns, two classes": (60, 50, 3, 0.6, 0.5),
    "100 rows, 30 columns, two classes": (100, 30, 5, 0.35, 0.5),
    "80 rows, 30 columns, a number": (80, 30, 3, 0.22, 0.0),
    "120 rows, 40 columns, 15 : 85": (120, 40, 4, 0.6, 0.15),
}
FOLDS = {"verdict": (3, 3), "five folds": (5, 1)}
WAYS = (*FOLDS, "squared correlations", "largest correlation")
EPOCHS, N_PERMUTATIONS, LEVEL = 40, 199, 0.05


def weak_table(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table in which a few columns are related to the target."""
    n_rows, n_columns, n_planted, effect, share = TABLES[name]
    random = np.random.default_rng([seed, list(TABLES).index(name)])
    X = random.normal(size=(n_rows, n_columns))
    if seed % 2:
        X += random.normal(size=(n_rows, 3)) @ random.normal(size=(3, n_columns)) / 2
    if not share:
        signs = np.sign(random.normal(size=n_planted))
        return X, random.normal(size=n_rows) + effect * X[:, :n_planted] @ signs
    y = random.permutation((np.arange(n_rows) < share * n_rows).astype(int))
    X[:, :n_planted] += effect * y[:, None]
    return X, y


def p_value_of_columns(X: np.ndarray, y: np.ndarray, way: str) -> float:
    """Test with permutations whether any column is correlated with the target."""
    random = np.random.default_rng(1)
    orders = [np.arange(len(y)), *(random.permutation(len(y)) for _ in range(N_PERMUTATIONS))]
    targets = ((y - y.mean()) / y.std())[np.array(orders)]
    correlations = targets @ ((X - X.mean(0)) / X.std(0)) / len(y)
    squares = np.square(correlations)
    statistics = squares.sum(1) if way == "squared correlations" else squares.max(1)
    return float((statistics >= statistics[0] - 1e-12).mean())


def weak_row(case: Row) -> Row:
    """Test one table in one way."""
    import torch

    from ipcae import ClassificationSelector, RegressionSelector, chance_test

    torch.set_num_threads(1)
    X, y = weak_table(case["table"], case["seed"])
    start = time.process_time()
    if case["way"] in FOLDS:
        kind = RegressionSelector if y.dtype.kind == "f" else ClassificationSelector
        selector = kind(TABLES[case["table"]][2], max_epochs=EPOCHS, random_state=0, device="cpu")
        cv, n_repeats = FOLDS[case["way"]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p_value = chance_test(selector, X, y, cv=cv, n_repeats=n_repeats).p_value
    else:
        p_value = p_value_of_columns(X, y, case["way"])
    seconds = round(time.process_time() - start, 2)
    return {**case, "p_value": round(p_value, 5), "cpu_seconds": seconds}


def main() -> None:
    """Measure what is missing, and show the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=0, help="tables of every kind")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    path, key = HERE / "chance_weak.csv", ("table", "way", "seed")
    cases = [
        {"table": table, "way": way, "seed": seed}
        for seed in range(arguments.tables)
        for table in TABLES
        for way in WAYS
    ]
    measure_missing(path, key, cases, weak_row, arguments.jobs)
    rows = read_rows(path) if arguments.show else []
    for way in WAYS if rows else ():
        own = [row for row in rows if row["way"] == way]
        found = 100 * np.mean([float(row["p_value"]) <= LEVEL for row in own])
        seconds = np.mean([float(row["cpu_seconds"]) for row in own])
        print(f"{way}: {found:.0f} % of {len(own)}, {seconds:.2f} CPU seconds")


if __name__ == "__main__":
    main()
