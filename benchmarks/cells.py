"""The twelve cells of the paper with default settings, ten runs, on the test rows.

    python benchmarks/cells.py [--datasets isolet] [--known FOLDER] [--out benchmarks/cells.csv]
    python benchmarks/cells.py --pack FOLDER     # write the rows, for machines without the data
    python benchmarks/cells.py --show            # the table of docs/defaults.md

``fit`` gets the paper's training and validation rows together, and holds out its own validation
rows; on har, these come from other people than the training rows. With ``--given``, the paper's
validation rows are passed as ``X_val`` instead. Each row is one run: accuracy in percent or the
paper's reconstruction error on the test rows.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rows import new_parser, require_tests, write

from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.data import CATALOGUE
from paper.protocol import CLASSIFICATION, DATASETS, TASKS, factor
from paper.splits import load_rows
from paper.train import measure

TESTS = ["tests/training/choices/test_refitting.py", "tests/estimators/inputs/test_groups.py"]
BY_PERSON = "har"
BEFORE = {
    "classification": (94.50, 83.71, 93.11, 98.96, 93.04, 96.20),
    "reconstruction": (13.21, 11.43, 4.33, 2.07, 1.96, 5.79),
}
"""The defaults before refitting, in the order of the data sets; errors times 1000."""


class Known(NamedTuple):
    """The rows that a fit may see, training rows first, and the test rows."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    n_train: int
    groups: NDArray[Any] | None
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


def load_known(dataset: str, folder: str | None) -> Known:
    """Load the rows of a data set from a folder, or from the original data files."""
    if folder is not None:
        with np.load(Path(folder) / f"{dataset}.npz") as packed:
            arrays = {name: packed[name] for name in packed.files}
        return Known(**{"groups": None, **arrays, "n_train": int(arrays["n_train"])})
    rows = load_rows(dataset)
    X = np.concatenate([rows.X_train, rows.X_val])
    y = np.concatenate([rows.y_train, rows.y_val])
    groups = people(y) if dataset == BY_PERSON else None
    return Known(X, y, len(rows.X_train), groups, rows.X_test, rows.y_test)


def people(y: NDArray[np.int64]) -> NDArray[Any]:
    """Return the person of every row that is not a test row, in the paper's order."""
    from ipcae.data import load
    from ipcae.data.split import PREPARATIONS

    table = load(BY_PERSON)
    _, train, val, _ = PREPARATIONS[BY_PERSON](table, "class")
    order = np.concatenate([train, val])
    assert np.array_equal(table.y[order], y)
    return np.asarray(table.groups)[order]


def fit_cell(
    dataset: str,
    task: str,
    known: Known,
    given: bool,
    n_runs: int,
    device: str,
    method: str | None = None,
) -> list[dict[str, object]]:
    """Fit all runs of a cell, with the default method or another; evaluate each on test rows."""
    kind = ClassificationSelector if task == CLASSIFICATION else ReconstructionSelector
    selector = kind(
        CATALOGUE[dataset].n_selected, n_runs=n_runs, random_state=0, device=device, method=method
    )
    n = known.n_train if given else len(known.X)
    rows: dict[str, Any] = {"X": known.X[:n]} | (
        {"y": known.y[:n]} if kind._task.supervised else {}
    )
    if given:
        rows |= {"X_val": known.X[n:]} | ({"y_val": known.y[n:]} if "y" in rows else {})
    elif known.groups is not None:
        rows["groups"] = known.groups
    selector.fit(**rows)
    values = [
        measure(selector.with_run(run), task, known.X_test, known.y_test) for run in range(n_runs)
    ]
    return [
        {
            "dataset": dataset,
            "task": task,
            "validation": "given" if given else "held out",
            "method": selector.method_,
            "run": run,
            "value": f"{value:.6g}",
            "best": int(run == selector.best_run_),
            "seconds": f"{selector.fit_seconds_:.1f}",
        }
        for run, value in enumerate(values)
    ]


def pack(folder: str) -> None:
    """Write the rows of every data set to a compressed file."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in DATASETS:
        arrays = {k: v for k, v in load_known(name, None)._asdict().items() if v is not None}
        np.savez_compressed(Path(folder) / f"{name}.npz", **arrays)


def show(path: Path) -> None:
    """Print mean and standard deviation over the runs as a table in Markdown."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    print("| | " + " | ".join(DATASETS[name].title for name in DATASETS) + " |")
    print("|---|" + "---:|" * len(DATASETS))
    for task in TASKS[::-1]:
        for validation in ("held out", "given"):
            cells = []
            for dataset in DATASETS:
                key = {"dataset": dataset, "task": task, "validation": validation}
                values = [float(r["value"]) for r in rows if key.items() <= r.items()]
                scaled = factor(task) * np.array(values or [np.nan])
                cells.append(f"{scaled.mean():.4g} ± {scaled.std():.2g}")
            print(f"| {task}, validation rows {validation} | {' | '.join(cells)} |")
        print(f"| {task}, before | {' | '.join(f'{v:g}' for v in BEFORE[task])} |")


def main() -> None:
    """Measure the cells and append their rows, or do what else was asked for."""
    parser = new_parser(__doc__, "cells.csv")
    parser.add_argument("--datasets", nargs="+", default=[*DATASETS], choices=DATASETS)
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--given", action="store_true", help="pass the paper's validation rows")
    parser.add_argument("--known", help="a folder written with --pack")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--method", help="a method instead of the default; use another --out")
    parser.add_argument("--pack", metavar="FOLDER")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.pack:
        return pack(options.pack)
    if options.show:
        return show(Path(options.out))
    if not options.untested:
        require_tests(*TESTS)
    for dataset in options.datasets:
        known = load_known(dataset, options.known)
        for task in options.tasks:
            rows = fit_cell(
                dataset,
                task,
                known,
                options.given,
                options.runs,
                options.device,
                options.method,
            )
            write(Path(options.out), rows)
            values = factor(task) * np.array([float(row["value"]) for row in rows])
            shown = f"{values.mean():.4g} ± {values.std():.2g}"
            print(dataset, task, rows[0]["method"], shown, rows[0]["seconds"], flush=True)
    return None


if __name__ == "__main__":
    main()
