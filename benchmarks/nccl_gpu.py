"""Compare a fit that is spread over the processes of torchrun on GPUs with that of one process.

    torchrun --nproc-per-node 1 benchmarks/nccl_gpu.py [--out benchmarks/nccl_gpu.csv]

A row for spread runs and one for spread rows: the backend (nccl on a GPU, gloo with ``--device
cpu``, on which the script can be tried), the seconds of both fits, and how much the training losses
of the first epoch and the final validation losses differ. Spread runs must give the same bits; a
difference ends the script with an error. Spread rows are computed step by step by other kernels, so
that rounding differs, the more so with TF32 (``--precision float32``), and the difference grows
with every step. With several processes, the noise of a GPU differs, too (docs/decisions/0012).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rows import new_parser, parse, write
from torch import distributed

from ipcae import ClassificationSelector
from ipcae.distributed import spread


def table(device: str) -> tuple[np.ndarray, np.ndarray]:
    """Return ten classes that depend on twelve columns; a smaller table for a CPU."""
    random = np.random.default_rng(0)
    shape = (7200, 784) if device == "cuda" else (300, 40)
    X = random.normal(size=shape).astype(np.float32)
    return X, (X[:, :12] @ random.normal(size=(12, 10))).argmax(1)


def timed(device: str, epochs: int, precision: str) -> tuple[Any, float]:
    """Return a fitted selector and the seconds of its fit."""
    selector = ClassificationSelector(
        20 if device == "cuda" else 4,
        method="ip-cae",
        n_runs=4,
        max_epochs=epochs,
        device=device,
        precision=precision,
        random_state=0,
    )
    X, y = table(device)
    start = time.perf_counter()
    selector.fit(X, y)
    return selector, time.perf_counter() - start


def first_loss(selector: Any) -> np.ndarray:
    """Return the training loss of every run in the first epoch."""
    history = {name: np.asarray(values) for name, values in selector.history_.items()}
    first = (history["epoch"] == 0) & (history["metric"] == "train_loss")
    return history["value"][first & (history["phase"] == "selecting")]


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "nccl_gpu.csv")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--precision", default="auto", choices=["auto", "tf32", "float32"])
    options = parse(parser, ["tests/distributed"])
    if options.device == "cuda":
        timed("cuda", 1, options.precision)  # compile the kernels
    alone, seconds_alone = timed(options.device, options.epochs, options.precision)
    for what in ("runs", "rows"):
        with spread(what) as processes:
            backend = distributed.get_backend() if distributed.is_initialized() else "none"
            together, seconds = timed(options.device, options.epochs, options.precision)
        gap = np.abs(together.validation_loss_ / alone.validation_loss_ - 1).max()
        first_gap = np.abs(first_loss(together) / first_loss(alone) - 1).max()
        row = {
            "spread": what,
            "processes": processes.size,
            "backend": backend,
            "seconds": round(seconds, 3),
            "seconds_alone": round(seconds_alone, 3),
            "same_features": bool((together.get_support() == alone.get_support()).all()),
            "largest_gap_of_loss": f"{gap:.2g}",
            "gap_of_first_epoch": f"{first_gap:.2g}",
            "precision": options.precision,
        }
        if processes.first:
            print(row, flush=True)
            write(Path(options.out), [row])
        if what == "runs" and gap:
            sys.exit(f"Spread runs differ from those of one process by {gap:.2g}.")


if __name__ == "__main__":
    main()
