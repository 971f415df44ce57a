"""What does the precision of matrix products on a GPU change in the paper's tables?

    python benchmarks/precision.py --splits FOLDER [--out benchmarks/precision.csv]

CAE and IP-CAE on all six data sets, both tasks, ten runs of 200 epochs, in every precision. A row
is a cell: mean and standard deviation over the runs of the figure the paper reports.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
from cells import fit_cell, measure
from rows import read_options, write
from train_gpu import TESTS

from ipcae.ops import PRECISIONS
from paper.cell import cell
from paper.protocol import CLASSIFICATION, DATASETS, PAPER, TASKS

METHODS = ("cae", "ip-cae")
COLUMNS = "dataset", "task", "method", "precision", "mean", "std", "unit"


def main() -> None:
    """Train every cell in every precision and append its rows."""
    options = read_options(__doc__, "precision.csv", TESTS, only=PRECISIONS)
    for precision, task, dataset, method in product(options.only, TASKS, DATASETS, METHODS):
        row = [dataset, task, method, precision]
        row += figures(dataset, task, method, precision, options.splits)
        write(Path(options.out), [dict(zip(COLUMNS, row, strict=True))])
        print(*row, flush=True)


def figures(dataset: str, task: str, method: str, precision: str, splits: str | None) -> list[str]:
    """Train a cell; return mean and deviation of its figure on the test rows, and the unit."""
    arguments = cell(PAPER, dataset, task, method).arguments() | {"precision": precision}
    selector, split, _ = fit_cell(dataset, task, PAPER.n_runs, arguments, splits, "cuda")
    runs = [selector.with_run(run) for run in range(PAPER.n_runs)]
    values = [measure(run, task, split.X_test, split.y_test) for run in runs]
    unit = "%" if task == CLASSIFICATION else "error"
    return [f"{np.mean(values):.6g}", f"{np.std(values):.3g}", unit]


if __name__ == "__main__":
    sys.exit(main())
