"""Compare the public API, with the paper's settings, with the paper's results.

    python benchmarks/parity.py [--dataset mice_protein] [--runs 10] [--out benchmarks/parity.csv]

Each row is one run: data set, task, method, run, test accuracy in percent or reconstruction error,
unique percentage, and the seconds it took to fit all runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rows import new_parser, parse, write

from paper.cell import cell
from paper.protocol import DATASETS, PAPER, TASKS
from paper.splits import load_rows
from paper.train import fit_runs

TESTS = ["tests/test_batched_equals_alone.py", "tests/training/test_trainer.py"]


def fit_cell(dataset: str, task: str, method: str, n_runs: int) -> list[dict[str, object]]:
    """Fit all runs of a cell together and evaluate each on the test rows."""
    own, split = cell(PAPER, dataset, task, method), load_rows(dataset)
    arguments = own.arguments() | {"n_runs": n_runs}
    runs, seconds = fit_runs(task, own.k, split, "test", **arguments)
    return [
        {
            "dataset": dataset,
            "task": task,
            "method": method,
            "run": run,
            "value": f"{value:.6g}",
            "unique_percentage": selector.selection_.unique_percentage,
            "seconds": f"{seconds:.1f}",
        }
        for run, (selector, value) in enumerate(runs)
    ]


def main() -> None:
    """Run the four cells of a data set and append their rows."""
    parser = new_parser(__doc__, "parity.csv")
    parser.add_argument("--dataset", default="mice_protein", choices=DATASETS)
    parser.add_argument("--runs", type=int, default=10)
    options = parse(parser, TESTS)
    for task in reversed(TASKS):
        for method in ("ip-cae", "cae"):
            rows = fit_cell(options.dataset, task, method, options.runs)
            write(Path(options.out), rows)
            values = [float(row["value"]) for row in rows]
            print(options.dataset, task, method, f"{np.mean(values):.5g} ± {np.std(values):.2g}")


if __name__ == "__main__":
    main()
