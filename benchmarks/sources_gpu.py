"""Compare training on a GPU with rows from a source and with rows in memory.

    python benchmarks/sources_gpu.py [--out benchmarks/sources_gpu.csv] [--scale 1]

``speed``: seconds per epoch with an array in memory, the same rows as a memory-mapped file in a
warm cache, and as a sparse matrix; with one run and with ten. A GPU keeps a table that is small for
it; rows that are ``streamed`` are read in every epoch even so, as those of larger tables are.
``cells``: the defaults at the size of a single-cell atlas, 100,000 x 20,000 with 7 % of the values
not zero, K = 100. ``gpu_busy`` is the share of the time from the second to the last epoch in which
the GPU computes, as nvidia-smi reports it; empty if that took less than two seconds. Memory is the
peak of the process on the GPU, and of its resident set since the process began. Epochs are timed
from the end of the second one, after compilation and capture. ``--scale 0.01`` tries the script
with a small table.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write
from scipy import sparse

from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.sources import CsrSource, MemmapSource, streamed

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
        self.began = time.perf_counter()
        return self

    def __exit__(self, *error):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        self.ended = time.perf_counter()

    def busy(self, begin: float, end: float) -> str:
        """Mean of the samples between two times, as a fraction; empty in less than 2 seconds."""
        self.log.seek(0)
        samples = [float(line) for line in self.log if line.strip().isdigit()]
        per_second = len(samples) / (self.ended - self.began)
        # A sample is about the time before it.
        first, last = (round((when - self.began) * per_second) for when in (begin + 0.3, end))
        return f"{np.mean(samples[first:last]) / 100:.3f}" if end - begin > 2 and samples else ""


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
        "gpu_busy": usage.busy(clock.ends[1], clock.ends[-1]),
        "gpu_peak_mb": round(torch.cuda.max_memory_allocated() / 1e6) if CUDA else "",
        "resident_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
    }
    write(out, [row])
    print(row, flush=True)


def main() -> None:
    """Measure everything."""
    parser = new_parser(__doc__, "sources_gpu.csv")
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the values")
    parser.add_argument("--only", choices=["cells", "speed"], help="answer one question")
    options = parse(parser, ["tests/sources"])
    out = Path(options.out)
    n_rows = int(100_000 * options.scale)
    root = options.scale**0.5

    # Streams first: the resident set only grows.
    atlas, labels = cells(n_rows, int(20_000 * root))
    if options.only != "speed":
        for kind in ("sparse, streamed", "sparse"):
            with keeping(kind):
                measure(out, "cells", kind, CsrSource(atlas), labels, 100, 1, 12)
    if options.only != "cells":
        compare_speeds(out, n_rows, options.scale)
    if options.only != "speed":
        measure(out, "cells", "sparse", CsrSource(atlas), None, 100, 1, 8)
        measure(out, "cells", "array", atlas.toarray(), labels, 100, 1, 12)


def compare_speeds(out: Path, n_rows: int, scale: float) -> None:
    """Measure two tables in all forms, with one run and with ten."""
    sizes = (int(60_000 * scale), 784, 50), (n_rows // 2, int(4000 * scale**0.5), 100)
    with tempfile.TemporaryDirectory() as folder:
        for n, width, nodes in sizes:
            part, y = cells(n, width)
            np.save(Path(folder) / "rows.npy", part.toarray())
            mapped = np.load(Path(folder) / "rows.npy", mmap_mode="r")
            X = np.array(mapped)  # the file is in the cache now
            for runs in (1, 10):
                tables = {
                    "memory map, streamed": MemmapSource(mapped),
                    "memory map": MemmapSource(mapped),
                    "sparse, streamed": CsrSource(part),
                    "sparse": CsrSource(part),
                    "array": X,
                }
                for kind, table in tables.items():
                    with keeping(kind):
                        measure(out, "speed", kind, table, y, nodes, runs, 15)


@contextmanager
def keeping(kind: str) -> Iterator[None]:
    """Read the rows in every epoch in the block if they are to be streamed."""
    share = streamed.KEPT_SHARE
    streamed.KEPT_SHARE = 0.0 if "streamed" in kind else share
    try:
        yield
    finally:
        streamed.KEPT_SHARE = share


if __name__ == "__main__":
    main()
