"""Does the public API with the paper's settings give the paper's numbers?

    python benchmarks/parity.py [--dataset mice_protein] [--runs 10] [--out benchmarks/parity.csv]

Rows: data set, task, method, run, test accuracy in percent or reconstruction error, unique
percentage, seconds of the cell.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import torch
from splits import NAMES, load_split

import ipcae
from ipcae import ClassificationSelector, ReconstructionSelector, paper_settings

BATCH = {"coil20": 16, "mice_protein": 16}


def cell(dataset: str, task: str, method: str, n_runs: int) -> list[list[object]]:
    """Train all runs of a cell at once and measure each on the test rows."""
    split = load_split(dataset)
    k = 10 if dataset == "mice_protein" else 50
    arguments = paper_settings(method, batch_size=BATCH.get(dataset, 128))
    began = time.perf_counter()
    if task == "classification":
        selector = ClassificationSelector(k, n_runs=n_runs, random_state=0, **arguments)
        selector.fit(split.X_train, split.y_train, X_val=split.X_val, y_val=split.y_val)
    else:
        selector = ReconstructionSelector(k, n_runs=n_runs, random_state=0, **arguments)
        selector.fit(split.X_train, X_val=split.X_val)
    seconds = time.perf_counter() - began
    rows = []
    for run in range(n_runs):
        one = selector.with_run(run)
        if task == "classification":
            value = 100 * one.score(split.X_test, split.y_test)
        else:
            difference = one.reconstruct(split.X_test) - split.X_test
            value = np.linalg.norm(difference, axis=1).mean() / split.X_test.shape[1]
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
    out = Path(options.out)
    with out.open("a", newline="") as file:
        writer = csv.writer(file)
        if out.stat().st_size == 0:
            header = ["dataset", "task", "method", "run", "value", "unique_percentage"]
            writer.writerow([*header, "seconds", "torch", "ipcae"])
        for task in ("classification", "reconstruction"):
            for method in ("ip-cae", "cae"):
                rows = cell(options.dataset, task, method, options.runs)
                writer.writerows([*row, torch.__version__, ipcae.__version__] for row in rows)
                file.flush()
                values = [float(row[4]) for row in rows]
                print(
                    options.dataset, task, method, f"{np.mean(values):.5g} ± {np.std(values):.2g}"
                )


if __name__ == "__main__":
    main()
