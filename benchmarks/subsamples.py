"""How long does stability selection take on a small, wide table?

    python benchmarks/subsamples.py [--methods default ip-cae] [--classes 2 3]

Ten features are selected from 100 subsamples of a table of 100 rows and 5,000 columns, ten of
which are shifted in one of two classes, or in one or the other of three. Seconds are those of the
subsamples, without the decoder on the consensus; ``cpu_seconds`` are those of all threads.
"""

from __future__ import annotations

import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write

from ipcae import ClassificationSelector, StabilitySelection

N_ROWS, N_COLUMNS, N_PLANTED, N_SUBSAMPLES = 100, 5000, 10, 100


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "subsamples.csv")
    parser.add_argument("--methods", nargs="+", default=["default", "ip-cae"])
    parser.add_argument("--classes", nargs="+", type=int, default=[2, 3])
    parser.add_argument("--epochs", type=int, default=200)
    options = parse(parser, ["tests/estimators/many_fits/test_stability_selection.py"])
    warnings.simplefilter("ignore")
    for method, n_classes in product(options.methods, options.classes):
        X, y = _table(n_classes)
        selector = ClassificationSelector(
            N_PLANTED,
            method=None if method == "default" else method,
            max_epochs=options.epochs,
            device="cpu",
            random_state=0,
        )
        search = StabilitySelection(selector, n_subsamples=N_SUBSAMPLES, refit=False, verbose=1)
        began = time.process_time()
        search.fit(X, y)
        row = {
            "rows": N_ROWS,
            "features": N_COLUMNS,
            "classes": n_classes,
            "subsamples": N_SUBSAMPLES,
            "method": method,
            "epochs": options.epochs,
            "threads": torch.get_num_threads(),
            "seconds": f"{search.fit_seconds_:.1f}",
            "cpu_seconds": f"{time.process_time() - began:.1f}",
            "planted_in_consensus": int((search.consensus_ < N_PLANTED).sum()),
        }
        print(row, flush=True)
        write(Path(options.out), [row])


def _table(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Shift every planted column in one of the classes but the first."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(N_ROWS, N_COLUMNS)), np.arange(N_ROWS) % n_classes
    for column in range(N_PLANTED):
        X[y == 1 + column % (n_classes - 1), column] += 1
    return X, y


if __name__ == "__main__":
    main()
