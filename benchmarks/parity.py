"""Does the public API with the paper's settings give the paper's numbers?

    python benchmarks/parity.py [--dataset mice_protein] [--runs 10] [--out benchmarks/parity.csv]

Rows: data set, task, method, run, test accuracy in percent or reconstruction error, unique
percentage, seconds of the cell.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from cells import batch_size, fit_cell, measure
from rows import require_tests, write
from splits import NAMES

from ipcae import paper_settings

COLUMNS = "dataset", "task", "method", "run", "value", "unique_percentage", "seconds"


def cell(dataset: str, task: str, method: str, n_runs: int) -> list[list[object]]:
    """Train all runs of a cell at once and measure each on the test rows."""
    arguments = paper_settings(method, batch_size=batch_size(dataset))
    selector, split, seconds = fit_cell(dataset, task, n_runs, arguments)
    rows = []
    for run in range(n_runs):
        one = selector.with_run(run)
        value = measure(one, task, split.X_test, split.y_test)
        unique = one.selection_.unique_percentage
        rows.append([dataset, task, method, run, f"{value:.6g}", unique, f"{seconds:.1f}"])
    return rows


def main() -> None:
    """Run the four cells of a data set and append their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="mice_protein", choices=NAMES)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--out", default="benchmarks/parity.csv")
    options = parser.parse_args()
    require_tests("tests/test_batched_equals_alone.py", "tests/training/test_trainer.py")
    for task in ("classification", "reconstruction"):
        for method in ("ip-cae", "cae"):
            rows = cell(options.dataset, task, method, options.runs)
            write(Path(options.out), [dict(zip(COLUMNS, row, strict=True)) for row in rows])
            values = [float(row[4]) for row in rows]
            print(options.dataset, task, method, f"{np.mean(values):.5g} ± {np.std(values):.2g}")


if __name__ == "__main__":
    main()
