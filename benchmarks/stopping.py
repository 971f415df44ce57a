"""Do fits with early stopping predict as well as those that train to the end?

    python benchmarks/stopping.py [--tables NAME ...] [--recipes NAME ...] [--splits 3]
    python benchmarks/stopping.py --summary     # print the means of benchmarks/stopping.csv

Development rows only: tables of scikit-learn, and the training rows of the small and wide tables
and of the paper's (``IPCAE_DATA``), split again. A row is one fit with a single run: its score on
the rows that it did not see, the seconds of CPU time, the epochs, and the selected columns.
Rows that are in the file are not measured again.
"""

from __future__ import annotations

import csv
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from comparison import sources
from rows import new_parser, parse, write
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, Mlp, RegressionSelector
from ipcae.data import load

Table = tuple[np.ndarray, np.ndarray, int]


def _small(name: str) -> Table:
    sources.folder = Path(os.environ.get("IPCAE_DATA", sources.folder))
    X, y = sources.small_table(name)
    X, _, y, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    return X, y, 25


def _first(name: str, n_rows: int, n_selected: int) -> Table:
    table = load(name)
    return np.asarray(table.X[:n_rows], np.float32), np.asarray(table.y[:n_rows]), n_selected


TABLES: dict[str, Callable[[], Table]] = {
    "wine": lambda: (*load_wine(return_X_y=True), 5),
    "breast cancer": lambda: (*load_breast_cancer(return_X_y=True), 6),
    "digits, 280 rows": lambda: (*(part[:400] for part in load_digits(return_X_y=True)), 10),
    "digits": lambda: (*load_digits(return_X_y=True), 10),
    "diabetes": lambda: (*load_diabetes(return_X_y=True), 5),
    "colon": lambda: _small("colon"),
    "lung_small": lambda: _small("lung_small"),
    "mnist, 7000 rows": lambda: _first("mnist", 10_000, 30),
    "fashion_mnist, 7000 rows": lambda: _first("fashion_mnist", 10_000, 30),
}


def _narrow(width: int) -> dict[str, Any]:
    return {"decoder": Mlp((width, width), dropout=0.3, noise=0.2)}


RECIPES: dict[str, dict[str, Any]] = {
    "to the end": {"early_stopping": False},
    "auto": {"early_stopping": "auto"},
    "auto, 256 units": {"early_stopping": "auto", **_narrow(256)},
    "auto, 128 units": {"early_stopping": "auto", **_narrow(128)},
    "auto, 64 units": {"early_stopping": "auto", **_narrow(64)},
    "auto, 100 epochs": {"early_stopping": "auto", "max_epochs": 100, "fine_tune": 40},
    "auto, 40 epochs": {"early_stopping": "auto", "max_epochs": 40, "fine_tune": 40},
    "auto, 128 units, 100 epochs": {"early_stopping": "auto", "max_epochs": 100, **_narrow(128)},
}


def measure(X: np.ndarray, y: np.ndarray, n_selected: int, split: int, recipe: str) -> dict:
    """Fit with a recipe and score the rows that are left out."""
    numbers = y.dtype.kind == "f"
    parts = train_test_split(
        X, y, test_size=0.3, random_state=split, stratify=None if numbers else y
    )
    kind = RegressionSelector if numbers else ClassificationSelector
    selector = kind(n_selected, random_state=split, device="cpu", **RECIPES[recipe])
    start = time.process_time()
    selector.fit(parts[0], parts[2])
    seconds = time.process_time() - start
    return {
        "method": selector.method_,
        "score": f"{selector.score(parts[1], parts[3]):.4f}",
        "cpu_seconds": f"{seconds:.2f}",
        "epochs": int(selector.history_["epoch"].max()) + 1,
        "columns": " ".join(map(str, sorted(selector.selection_.features))),
    }


def summary(path: Path) -> None:
    """Print the mean score and processor time of every recipe on every table."""
    found = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["table"], row["recipe"]].append((float(row["score"]), row))
    for (table, recipe), rows in found.items():
        scores = [score for score, _ in rows]
        seconds = np.mean([float(row["cpu_seconds"]) for _, row in rows])
        epochs = np.mean([int(row["epochs"]) for _, row in rows])
        print(
            f"{table:18} {recipe:28} {np.mean(scores):.4f} ± {np.std(scores):.4f}"
            f" {seconds:7.1f} s {epochs:5.0f} epochs, {len(rows)} splits"
        )


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "stopping.csv")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), choices=list(RECIPES))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/training/test_stopping.py"])
    path = Path(options.out)
    if options.summary:
        summary(path)
        return
    warnings.simplefilter("ignore")
    done = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {(r["table"], r["split"], r["recipe"]) for r in csv.DictReader(file)}
    for split in range(options.splits):
        for name in options.tables:
            X, y, n_selected = TABLES[name]()
            for recipe in options.recipes:
                if (name, str(split), recipe) in done:
                    continue
                row = {"table": name, "selected": n_selected, "split": split, "recipe": recipe}
                row |= measure(X, y, n_selected, split, recipe)
                print(*row.values(), flush=True)
                write(path, [row])


if __name__ == "__main__":
    main()
