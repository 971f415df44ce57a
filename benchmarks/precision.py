"""Measure how the precision of matrix products on a GPU changes the paper's tables.

    python benchmarks/precision.py --splits FOLDER [--out benchmarks/precision.csv]

CAE and IP-CAE on all six data sets, both tasks, ten runs of 200 epochs, in every precision. Each
row is one cell: mean and standard deviation over the runs of the metric that the paper reports.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
from rows import parse_gpu, write
from train_gpu import TESTS

from ipcae.ops import PRECISIONS
from paper.cell import cell
from paper.protocol import CLASSIFICATION, DATASETS, PAPER, TASKS
from paper.splits import load_rows
from paper.train import fit_runs

METHODS = ("cae", "ip-cae")


def main() -> None:
    """Train every cell in every precision and append its row."""
    options = parse_gpu(__doc__, "precision.csv", TESTS, only=PRECISIONS)
    for precision, task, dataset, method in product(options.only, TASKS, DATASETS, METHODS):
        row = {"dataset": dataset, "task": task, "method": method, "precision": precision}
        row |= train_cell(dataset, task, method, precision, options.splits)
        write(Path(options.out), [row])
        print(*row.values(), flush=True)


def train_cell(
    dataset: str, task: str, method: str, precision: str, splits: str | None
) -> dict[str, str]:
    """Return mean, standard deviation and unit of a cell's metric on the test rows."""
    own, split = cell(PAPER, dataset, task, method), load_rows(dataset, splits)
    arguments = own.arguments() | {"precision": precision, "n_runs": own.n_runs, "device": "cuda"}
    runs, _ = fit_runs(task, own.k, split, "test", **arguments)
    values = [value for _, value in runs]
    unit = "%" if task == CLASSIFICATION else "error"
    return {"mean": f"{np.mean(values):.6g}", "std": f"{np.std(values):.3g}", "unit": unit}


if __name__ == "__main__":
    sys.exit(main())
