"""Compare SelectorCV, which trains all folds, K and seeds as one batch, with a loop over the fits.

    python benchmarks/cv.py [--device cuda] [--epochs 20] [--method default]

Five folds, four numbers of features and four seeds: 80 fits. The loop is scikit-learn's
``GridSearchCV`` with the same estimator, in one process or, with ``--jobs``, in several. Both are
timed in one call, without the final fit, and after a first fit of the same sizes, which compiles
the kernels on a GPU; ``first_seconds`` is the time of that first batch. One half of the loop is
run before the batch and one after it, so that a change in the load of the machine affects both.
``batch_cpu`` and ``loop_cpu`` are seconds of CPU time, which depend less on that load.
``--method default`` leaves the choice of the method to the selector.
``--splits`` names a folder of packed data sets (``python -m paper pack FOLDER``).
"""

from __future__ import annotations

import os
import time
import warnings
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from ipcae import ClassificationSelector, SelectorCV
from paper.splits import load_rows

TABLES = "mice_protein", "isolet"
COUNTS = [5, 10, 20, 40]
FOLDS = 5
SEEDS = 4


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "cv.csv")
    parser.add_argument("--splits", help="folder of packed data sets")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--method", default="ip-cae", help='a method, or "default"')
    parser.add_argument("--jobs", type=int, default=1, help="processes of the loop")
    parser.add_argument("--tables", nargs="+", default=TABLES)
    options = parse(parser, ["tests/estimators/many_fits/test_selector_cv.py"])
    for name in options.tables:
        X, y = _training_rows(name, options.splits)
        measured = _measure(X, y, options)
        row = {
            "table": name,
            "rows": len(X),
            "features": X.shape[1],
            "fits": FOLDS * len(COUNTS) * SEEDS,
            "method": options.method,
            "epochs": options.epochs,
            "on": options.device,
            "threads": torch.get_num_threads(),
            "jobs": options.jobs,
            **{key: f"{value:.2f}" for key, value in measured.items()},
        }
        print(row, flush=True)
        write(Path(options.out), [row])


def _training_rows(name: str, folder: str | None) -> tuple[np.ndarray, np.ndarray]:
    if folder is None:
        rows = load_rows(name)
        return np.asarray(rows.X_train), np.asarray(rows.y_train)
    with np.load(Path(folder) / f"{name}.npz") as packed:
        return packed["X_train"], packed["y_train"]


def _measure(X: np.ndarray, y: np.ndarray, options: Namespace) -> dict[str, float]:
    """Return the seconds of both, and how many times faster the batch is."""
    warnings.simplefilter("ignore")

    def batch(epochs: int) -> None:
        SelectorCV(
            clone(selector).set_params(max_epochs=epochs),
            n_features_to_select=COUNTS,
            cv=FOLDS,
            n_runs=SEEDS,
            refit=False,
        ).fit(X, y)

    def loop(counts: list[int]) -> None:
        grid = {"n_features_to_select": counts, "random_state": list(range(SEEDS))}
        GridSearchCV(selector, grid, cv=FOLDS, refit=False, n_jobs=options.jobs).fit(X, y)

    selector = ClassificationSelector(
        method=None if options.method == "default" else options.method,
        device=options.device,
        max_epochs=options.epochs,
        random_state=0,
    )
    first = _seconds(lambda: batch(2))[0]
    for count in COUNTS:
        clone(selector).set_params(n_features_to_select=count, max_epochs=2).fit(X, y)
    before, together, after = (
        _seconds(lambda: loop(COUNTS[::2])),
        _seconds(lambda: batch(options.epochs)),
        _seconds(lambda: loop(COUNTS[1::2])),
    )
    apart = before + after
    return {
        "first_seconds": first,
        "batch_seconds": together[0],
        "loop_seconds": apart[0],
        "times": apart[0] / together[0],
        "batch_cpu": together[1],
        "loop_cpu": apart[1],
    }


def _seconds(work: Callable[[], None]) -> np.ndarray:
    """Return the seconds of some work, and its CPU time, that of other processes included."""
    clocks = np.array([time.perf_counter(), _cpu_seconds()])
    work()
    return np.array([time.perf_counter(), _cpu_seconds()]) - clocks


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    main()
