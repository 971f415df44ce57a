"""Which default recipe is best? Candidates against the paper's settings, on validation rows only.

    python benchmarks/recipe.py --configs paper default [--datasets isolet] [--runs 5]
        [--splits FOLDER] [--device cuda] [--workers 6] [--out benchmarks/recipe.csv]

Rows: dataset, task, config, run, validation metric (accuracy in percent, or the paper's
reconstruction error in the paper's units), number of different features, seconds of the cell.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from cells import batch_size, fit_cell, measure
from rows import require_tests, write
from splits import CELLS, NAMES

from ipcae import Concrete, Full, LassoNet, Mlp, paper_settings

COLUMNS = "dataset", "task", "config", "run", "value", "features", "seconds"
WIDE = Mlp((512,))
DROPOUT = Mlp((512,), dropout=0.2)
P_IS_D = Concrete(Full("features"))
CONFIGS = {
    "paper": lambda batch: paper_settings(batch_size=batch),
    "paper-cae": lambda batch: paper_settings("cae", batch_size=batch),
    "default": lambda batch: {},
    "plain": lambda batch: {"decoder": Mlp(), "method": P_IS_D},
    "h512": lambda batch: {"decoder": WIDE, "method": P_IS_D},
    "h512-d2": lambda batch: {"decoder": DROPOUT, "method": P_IS_D},
    "h512-p128": lambda batch: {"decoder": WIDE, "method": Concrete(Full(128))},
    "h512-d2-p128": lambda batch: {"decoder": DROPOUT, "method": Concrete(Full(128))},
    "h512-d4-p128": lambda batch: {"decoder": Mlp((512,), dropout=0.4)},
    "h1024-d4-p128": lambda batch: {"decoder": Mlp((1024,), dropout=0.4)},
    "h512-512-d2-p128": lambda batch: {"decoder": Mlp((512, 512), dropout=0.2)},
    "lassonet-0": lambda batch: lasso_net(batch, 0.0),
    "lassonet-1/4": lambda batch: lasso_net(batch, 0.25),
    "lassonet-1/2": lambda batch: lasso_net(batch, 0.5),
    "lassonet-1": lambda batch: lasso_net(batch, 1.0),
}


def lasso_net(batch: int, size_power: float) -> dict[str, object]:
    """Return the paper's settings for LassoNet, with λ divided by a power of a feature's size."""
    return paper_settings("lassonet", batch_size=batch) | {
        "method": LassoNet(size_power=size_power)
    }


def cell(
    dataset: str, task: str, config: str, n_runs: int, splits: str | None, device: str
) -> list[list[object]]:
    """Train one cell and return its rows."""
    torch.set_num_threads(1 if device != "cpu" else torch.get_num_threads())
    arguments = CONFIGS[config](batch_size(dataset))
    selector, split, seconds = fit_cell(dataset, task, n_runs, arguments, splits, device)
    rows = []
    for run in range(n_runs):
        one = selector.with_run(run)
        value = measure(one, task, split.X_val, split.y_val)
        different = int(one.get_support().sum())
        rows.append([dataset, task, config, run, f"{value:.6g}", different, f"{seconds:.1f}"])
    return rows


def main() -> None:
    """Run the cells and append their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", nargs="+", default=["paper", "default"], choices=CONFIGS)
    parser.add_argument("--datasets", nargs="+", default=NAMES, choices=(*NAMES, CELLS))
    parser.add_argument("--tasks", nargs="+", default=("classification", "reconstruction"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--splits")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", default="benchmarks/recipe.csv")
    options = parser.parse_args()
    require_tests("tests/test_batched_equals_alone.py", "tests/training/test_trainer.py")
    jobs = [
        (d, t, c, options.runs, options.splits, options.device)
        for c in options.configs
        for d in reversed(options.datasets)
        for t in options.tasks
    ]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(cell, *job) for job in jobs]):
            rows = future.result()
            write(Path(options.out), [dict(zip(COLUMNS, row, strict=True)) for row in rows])
            values = [float(row[4]) for row in rows]
            print(*rows[0][:3], f"{np.mean(values):.5g} ± {np.std(values):.2g}", rows[0][6])


if __name__ == "__main__":
    main()
