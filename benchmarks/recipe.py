"""Compare candidates for the default settings with the paper's, on validation rows only.

    python benchmarks/recipe.py --configs paper default [--datasets isolet] [--runs 5]
        [--splits FOLDER] [--device cuda] [--workers 6] [--out benchmarks/recipe.csv]

Each row is one run: data set, task, configuration, run, validation accuracy in percent or the
paper's reconstruction error, number of distinct features, and the seconds it took to fit all runs.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write

from ipcae import Concrete, Cosine, Exponential, Full, LassoNet, Linear, Mlp, paper_settings
from ipcae.data import CATALOGUE
from ipcae.selectors import Subset
from paper.protocol import DATASETS, TASKS
from paper.splits import SINGLE_CELLS, load_rows
from paper.train import fit_runs

TESTS = ["tests/test_batched_equals_alone.py", "tests/training/test_trainer.py"]
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
    "subset": lambda batch: {"method": Subset()},
    "subset-all-indirect": lambda batch: {
        "method": Subset(Full(), Exponential(10.0, 0.1), surplus=Linear(1.0, 0.0))
    },
    "subset-k": lambda batch: {"method": Subset(surplus=None)},
    "subset-all": lambda batch: {"method": Subset(surplus=Linear(1.0, 0.0))},
    "subset-cosine": lambda batch: {"method": Subset(surplus=Cosine())},
    "subset-all-warmer": lambda batch: {
        "method": Subset(temperature=Exponential(0.3, 0.03), surplus=Linear(1.0, 0.0))
    },
    "subset-all-gumbel": lambda batch: {"method": Subset(noise="gumbel", surplus=Linear(1.0, 0.0))},
    "subset-all-8": lambda batch: {"method": Subset(noise_draws=8, surplus=Linear(1.0, 0.0))},
    "lassonet-0": lambda batch: lasso_net(batch, 0.0),
    "lassonet-1/4": lambda batch: lasso_net(batch, 0.25),
    "lassonet-1/2": lambda batch: lasso_net(batch, 0.5),
    "lassonet-1": lambda batch: lasso_net(batch, 1.0),
}


def lasso_net(batch: int, size_power: float) -> dict[str, object]:
    """Return the paper's settings for LassoNet with another ``size_power``."""
    return paper_settings("lassonet", batch_size=batch) | {
        "method": LassoNet(size_power=size_power)
    }


def fit_cell(
    dataset: str, task: str, config: str, n_runs: int, splits: str | None, device: str
) -> list[dict[str, object]]:
    """Fit all runs of a cell together and evaluate each on the validation rows."""
    torch.set_num_threads(1 if device != "cpu" else torch.get_num_threads())
    known, split = CATALOGUE[dataset], load_rows(dataset, splits)
    arguments = (
        {"method": "ip-cae"}
        | CONFIGS[config](known.batch_size)
        | {"n_runs": n_runs, "device": device}
    )
    runs, seconds = fit_runs(task, known.n_selected, split, "val", **arguments)
    return [
        {
            "dataset": dataset,
            "task": task,
            "config": config,
            "run": run,
            "value": f"{value:.6g}",
            "features": int(selector.get_support().sum()),
            "seconds": f"{seconds:.1f}",
        }
        for run, (selector, value) in enumerate(runs)
    ]


def main() -> None:
    """Run the cells and append their rows."""
    parser = new_parser(__doc__, "recipe.csv")
    parser.add_argument("--configs", nargs="+", default=["paper", "default"], choices=CONFIGS)
    datasets = {"default": [*DATASETS], "choices": [*DATASETS, SINGLE_CELLS]}
    parser.add_argument("--datasets", nargs="+", **datasets)
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--splits", help="a folder written by `python -m paper pack FOLDER`")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int, default=1)
    options = parse(parser, TESTS)
    jobs = [
        (dataset, task, config, options.runs, options.splits, options.device)
        for config in options.configs
        for dataset in options.datasets
        for task in options.tasks
    ]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(fit_cell, *job) for job in jobs]):
            rows = future.result()
            write(Path(options.out), rows)
            values = [float(row["value"]) for row in rows]
            names = (rows[0][name] for name in ("dataset", "task", "config"))
            print(*names, f"{np.mean(values):.5g} ± {np.std(values):.2g}", rows[0]["seconds"])


if __name__ == "__main__":
    main()
