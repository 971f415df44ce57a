"""Compare SelectorCV with the same fits in a GridSearchCV loop, both in one process.

    python benchmarks/cv.py [--device cuda] [--tables mice_protein isolet] [--epochs 20]
                            [--out benchmarks/cv.csv] [--rows 0] [--sample 5] [--cpu-time]

Five folds x four numbers of features x four seeds: 80 fits of IP-CAE. SelectorCV trains them as
runs of one batch (on a CPU, one batch per two numbers of features). GridSearchCV fits them one
after another, with one seed each; neither refits. The loop of 80 fits is timed completely, unless
``--sample N`` times the fits of N folds only and scales up. Seconds are wall-clock time; on a
shared machine, ``--cpu-time`` measures the time of the process instead. With ``--device cuda``,
both sides run once with two epochs before they are timed, to compile the kernels.

Needs PyTorch, NumPy, SciPy and scikit-learn, and the data files in the folder IPCAE_DATA.
"""

from __future__ import annotations

import argparse
import csv
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import ipcae
from ipcae import ClassificationSelector, SelectorCV
from ipcae.data import load

COUNTS, N_FOLDS, N_SEEDS = [5, 10, 20, 50], 5, 4


def table(name: str, n_rows: int) -> tuple[Any, Any]:
    """Return X, with missing values replaced by the mean of the column, and y."""
    data = load(name)
    X, y = np.asarray(data.X, dtype=np.float32), np.asarray(data.y)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    if 0 < n_rows < len(X):
        some = np.random.default_rng(0).permutation(len(X))[:n_rows]
        X, y = X[some], y[some]
    return X, y


def batched(selector: Any, X: Any, y: Any, folds: Any) -> float:
    """Cross-validate with SelectorCV; return the best mean score."""
    search = SelectorCV(
        selector, n_features_to_select=COUNTS, cv=folds, n_runs=N_SEEDS, refit=False
    ).fit(X, y)
    return float(search.cv_results_["mean_test_score"].max())


def looped(selector: Any, X: Any, y: Any, folds: Any) -> float:
    """Cross-validate with GridSearchCV; return the best mean score."""
    grid = {"n_features_to_select": COUNTS, "random_state": list(range(N_SEEDS))}
    search = GridSearchCV(selector, grid, cv=folds, refit=False, error_score="raise").fit(X, y)
    return float(search.cv_results_["mean_test_score"].max())


def timed(work: Callable[[], float], clock: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds that the work takes, and its result."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    start = clock()
    result = work()
    return clock() - start, result


def main() -> None:
    """Measure both sides on every table and append the rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tables", nargs="+", default=["mice_protein", "isolet"])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rows", type=int, default=0, help="use at most so many rows")
    parser.add_argument("--sample", type=int, default=N_FOLDS, help="folds of the loop to time")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    clock = time.process_time if options.cpu_time else time.perf_counter
    for name in options.tables:
        row = measured(name, options, clock)
        print(row, flush=True)
        _append(options.out, row)


def measured(name: str, options: argparse.Namespace, clock: Callable[[], float]) -> dict[str, Any]:
    """Time both sides on one table and return the row."""
    X, y = table(name, options.rows)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y))
    settings: dict[str, Any] = {"device": options.device, "random_state": 0}
    if options.device != "cpu":
        quick = ClassificationSelector(max_epochs=2, **settings)
        batched(quick, X, y, folds)
        looped(quick, X, y, folds[:1])
    selector = ClassificationSelector(max_epochs=options.epochs, **settings)
    loop, loop_score = timed(lambda: looped(selector, X, y, folds[: options.sample]), clock)
    loop *= N_FOLDS / options.sample
    batch, score = timed(lambda: batched(selector, X, y, folds), clock)
    return {
        "table": name,
        "rows": len(X),
        "features": X.shape[1],
        "epochs": options.epochs,
        "clock": "process" if options.cpu_time else "wall",
        "folds_timed": options.sample,
        "GridSearchCV_seconds": f"{loop:.1f}",
        "SelectorCV_seconds": f"{batch:.1f}",
        "speed_up": f"{loop / batch:.2f}",
        "GridSearchCV_best_score": f"{loop_score:.4f}",
        "SelectorCV_best_score": f"{score:.4f}",
        "threads": torch.get_num_threads(),
        "device": _device(options.device),
        "torch": torch.__version__,
        "ipcae": ipcae.__version__,
    }


def _device(name: str) -> str:
    return torch.cuda.get_device_name() if name != "cpu" else platform.machine()


def _append(path: Path, row: dict[str, Any]) -> None:
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
