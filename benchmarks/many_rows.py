"""How many epochs do tables of many rows need?

    python benchmarks/many_rows.py --data FOLDER [--runs 3] [--minutes 4]
    python benchmarks/many_rows.py --summary    # print the means of benchmarks/many_rows.csv

A fifth of the 60,000 training images of MNIST and Fashion-MNIST is left out (test images are never
used), and the rest is fitted with fewer and fewer epochs; so are 60,000 generated rows with 60
columns. A row is one fit: the score of its decoder and of a forest on its columns on the rows that
were left out, its seconds and epochs. ``FOLDER`` has ``mnist.npz`` and ``fashion_mnist.npz`` with
arrays ``X_train`` and ``y_train``. Rows that are in the file are not measured again.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from missing_rows import read_rows
from rows import new_parser, parse, write
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, ReconstructionSelector

EPOCHS = 200, 100, 50, 25, 12
N_ROWS = 60_000
CASES = [
    (table, task, n_selected)
    for task, n_selected in (("classes", 10), ("classes", 50), ("reconstruction", 50))
    for table in ("mnist", "fashion_mnist", "generated")
    if not (table == "generated" and (task != "classes" or n_selected != 10))
]


def table_of(name: str, folders: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Return the training images, or generated columns of which 12 determine three classes."""
    if name == "generated":
        X, y = make_classification(
            N_ROWS, 60, n_informative=12, n_redundant=0, n_classes=3, random_state=0
        )
        return X.astype(np.float32), y
    path = next(path for folder in folders if (path := folder / f"{name}.npz").exists())
    with np.load(path) as arrays:
        return arrays["X_train"][:N_ROWS].astype(np.float32), arrays["y_train"][:N_ROWS]


def measure(X: np.ndarray, y: np.ndarray, case: tuple, epochs: int, n_runs: int) -> dict:
    """Fit with a number of epochs and score the rows that are left out."""
    _, task, n_selected = case
    X, left_out, y, answers = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    kind = ClassificationSelector if task == "classes" else ReconstructionSelector
    selector = kind(n_selected, n_runs=n_runs, max_epochs=epochs, random_state=0)
    start = time.perf_counter()
    selector.fit(X, y if task == "classes" else None)
    seconds = time.perf_counter() - start
    score = selector.score(left_out, answers if task == "classes" else None)
    forest = ""
    if task == "classes":
        columns = selector.get_support(indices=True)
        trees = ExtraTreesClassifier(50, n_jobs=-1, random_state=0).fit(X[:, columns], y)
        forest = f"{trees.score(left_out[:, columns], answers):.4f}"
    phase = np.asarray(selector.history_["phase"])
    selecting = np.asarray(selector.history_["epoch"])[phase == "selecting"]
    return {
        "method": selector.method_,
        "score": f"{score:.4f}",
        "forest": forest,
        "seconds": f"{seconds:.2f}",
        "epochs_taken": int(selecting.max()) + 1 if len(selecting) else 0,
        "columns": " ".join(map(str, selector.get_support(indices=True))),
    }


def summary(path: Path) -> None:
    """Print the results of every case, the most epochs first."""
    found = defaultdict(list)
    for row in read_rows(path):
        found[row["table"], row["task"], row["selected"]].append(row)
    for case, rows in found.items():
        print(*case)
        for row in rows:
            shown = ("max_epochs", "epochs_taken", "score", "forest", "seconds")
            print("   ", *(f"{row[name]:>8}" for name in shown))


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "many_rows.csv")
    parser.add_argument("--data", nargs="+", type=Path, default=[], help="folders of .npz files")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epochs", nargs="+", type=int, default=list(EPOCHS))
    parser.add_argument("--minutes", type=float, help="begin no fit after this time")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/test_stopping.py"])
    path, start = Path(options.out), time.perf_counter()
    if options.summary:
        summary(path)
        return
    warnings.simplefilter("ignore")
    done = {(r["table"], r["task"], r["selected"], r["max_epochs"]) for r in read_rows(path)}
    for case in CASES:
        X, y = table_of(case[0], options.data)
        for epochs in options.epochs:
            if (*map(str, case), str(epochs)) in done:
                continue
            if options.minutes and time.perf_counter() - start > 60 * options.minutes:
                return
            row = dict(zip(("table", "task", "selected"), case, strict=True))
            row |= {"runs": options.runs, "max_epochs": epochs}
            row |= measure(X, y, case, epochs, options.runs)
            print(*row.values(), flush=True)
            write(path, [row])


if __name__ == "__main__":
    main()
