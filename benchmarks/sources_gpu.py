"""Measure trainings on a GPU whose rows are read from a source, beside rows in memory.

    python benchmarks/sources_gpu.py [--out benchmarks/sources_gpu.csv] [--scale 1]

``speed``: seconds per epoch with an array in memory, the same rows as a memory-mapped file in a
warm cache, and as a sparse matrix; with one run and with ten. ``cells``: the defaults at the size
of a single-cell atlas, 100,000 x 20,000 with 7 % of the values not zero, K = 100. ``gpu_busy`` is
the share of the second half of the whole call in which the GPU computes, as nvidia-smi reports it:
in calls of a few seconds, much of that is not training. Memory is the peak of the process on the
GPU, and of its resident set since the process began. Epochs are timed from the end of the
second one, after compilation and capture. ``--scale 0.01`` tries the script with a small table.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write
from scipy import sparse

from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.sources import CsrSource, MemmapSource

N_CLASSES = 20
CUDA = torch.cuda.is_available()


def cells(n_rows: int, n_columns: int, seed: int = 0) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return a sparse matrix with one value in every 14 columns of a row, and classes."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, N_CLASSES, n_rows)
    per_row = n_columns // 14
    offsets = random.integers(0, 14, (n_rows, per_row), dtype=np.uint8)
    columns = offsets + np.arange(per_row, dtype=np.int32) * 14
    values = random.standard_exponential((n_rows, per_row), dtype=np.float32)
    # Every class has its own columns with larger values.
    values[(columns % (3 * N_CLASSES)) == labels[:, None]] += 2
    starts = np.arange(n_rows + 1, dtype=np.int64) * per_row
    shape = n_rows, n_columns
    matrix = sparse.csr_matrix((values.ravel(), columns.ravel(), starts), shape=shape)
    return matrix, labels


class Clock:
    """Record the end of every epoch of the first phase."""

    def __init__(self):
        self.ends: list[float] = []

    def __call__(self, report):
        """Record the time."""
        if report.phase == "selecting":
            self.ends.append(time.perf_counter())

    @property
    def seconds(self) -> float:
        """Median seconds of an epoch, without the first two."""
        return float(np.median(np.diff(self.ends)[1:]))


class Usage:
    """Sample the utilization of the GPU while a block runs."""

    def __enter__(self):
        self.log = tempfile.TemporaryFile("w+")
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        self.process = None
        if CUDA:
            torch.cuda.reset_peak_memory_stats()
            self.process = subprocess.Popen([*command, "-lms", "100"], stdout=self.log)
        self.began = time.time()
        return self

    def __exit__(self, *error):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    @property
    def busy(self) -> str:
        """Mean of the samples of the second half, without the last tenth, as a fraction."""
        self.log.seek(0)
        samples = [float(line) for line in self.log if line.strip().isdigit()]
        steady = samples[len(samples) // 2 : len(samples) * 9 // 10]
        return f"{np.mean(steady) / 100:.3f}" if steady else ""


def measure(out: Path, question: str, kind: str, X, y, n_selected: int, runs: int, epochs: int):
    """Fit once and append a row."""
    gc.collect()
    if CUDA:
        torch.cuda.empty_cache()
    clock = Clock()
    selector = (ClassificationSelector if y is not None else ReconstructionSelector)(
        n_selected,
        method="ip-cae",
        n_runs=runs,
        max_epochs=epochs,
        fine_tune=False,
        callbacks=clock,
        random_state=0,
    )
    began = time.perf_counter()
    with Usage() as usage:
        selector.fit(X, *(() if y is None else (y,)))
    whole = time.perf_counter() - began
    row = {
        "question": question,
        "rows_are": kind,
        "task": "reconstruction" if y is None else "classification",
        "rows": X.shape[0],
        "features": X.shape[1],
        "nodes": n_selected,
        "runs": runs,
        "seconds_per_epoch": f"{clock.seconds:.4g}",
        "seconds_of_fit": f"{whole:.4g}",
        "epochs": epochs,
        "gpu_busy": usage.busy,
        "gpu_peak_mb": round(torch.cuda.max_memory_allocated() / 1e6) if CUDA else "",
        "resident_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
    }
    write(out, [row])
    print(row, flush=True)


def main() -> None:
    """Measure everything."""
    parser = new_parser(__doc__, "sources_gpu.csv")
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the values")
    options = parse(parser, ["tests/sources"])
    out = Path(options.out)
    n_rows = int(100_000 * options.scale)
    root = options.scale**0.5

    # Streams first: the resident set only grows.
    atlas, labels = cells(n_rows, int(20_000 * root))
    measure(out, "cells", "sparse", CsrSource(atlas), labels, 100, 1, 5)
    with tempfile.TemporaryDirectory() as folder:
        for n, width, nodes in ((int(60_000 * options.scale), 784, 50), (n_rows // 4, 4000, 100)):
            part, y = cells(n, width)
            np.save(Path(folder) / "rows.npy", part.toarray())
            mapped = np.load(Path(folder) / "rows.npy", mmap_mode="r")
            X = np.array(mapped)  # the file is in the cache now
            for runs in (1, 10):
                tables = {
                    "memory map": MemmapSource(mapped),
                    "sparse": CsrSource(part),
                    "array": X,
                }
                for kind, table in tables.items():
                    measure(out, "speed", kind, table, y, nodes, runs, 7)
    measure(out, "cells", "sparse", CsrSource(atlas), None, 100, 1, 5)
    measure(out, "cells", "array", atlas.toarray(), labels, 100, 1, 5)


if __name__ == "__main__":
    main()
