"""Measure fits on a quiet and on a busy CPU, with different numbers of threads.

    python benchmarks/busy_cpu.py [--threads 1 2 default] [--out benchmarks/busy_cpu.csv]
    python benchmarks/busy_cpu.py --tables "60000 x 784" --threads default     # some cases only

Five tables of typical shapes, ip-cae with K = 10 and two runs, a few epochs each. Busy means that
one process per core spins during the fit (``taskset -c 0,1`` gives it two).
``default`` is what ``fit`` does by itself; a number is set with ``torch.set_num_threads`` and then
used for every operation, which is what PyTorch does. All cases of a table are timed in turn for
several rounds; the medians are reported. On a busy CPU, numbers above 1 can take minutes:
``--busy-threads`` says which cases are measured there.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write

from ipcae import ClassificationSelector
from ipcae.training.threads import side_by_side, thread_counts


@dataclass(frozen=True)
class Table:
    """A shape, and a number of epochs that takes about a second on one quiet core."""

    n_rows: int
    n_columns: int
    n_epochs: int

    @property
    def name(self) -> str:
        """The shape in words."""
        return f"{self.n_rows} x {self.n_columns}"

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return normal columns, three of which determine four classes."""
        random = np.random.default_rng(0)
        X = random.normal(size=(self.n_rows, self.n_columns)).astype(np.float32)
        return X, (X[:, 0] > 0) * 2 + (X[:, 1] + X[:, 2] > 0)


TABLES = [
    Table(150, 13, 120),
    Table(100, 5000, 30),
    Table(2600, 1000, 8),
    Table(10_000, 60, 8),
    Table(60_000, 784, 1),
]


def _spin() -> None:
    while True:
        pass


@contextmanager
def spinning(n_processes: int) -> Iterator[None]:
    """Keep processes busy beside the measurement."""
    fork = multiprocessing.get_context("fork")
    spinners = [fork.Process(target=_spin, daemon=True) for _ in range(n_processes)]
    for process in spinners:
        process.start()
    try:
        yield
    finally:
        for process in spinners:
            process.kill()
            process.join()


def seconds_of(table: Table, X: np.ndarray, y: np.ndarray, n_threads: str) -> float:
    """Return the duration of a fit."""
    before = torch.get_num_threads()
    chosen = thread_counts.enough
    if n_threads != "default":
        torch.set_num_threads(int(n_threads))
        thread_counts.enough = lambda work, available: available
        side_by_side.enough = lambda work, available: 1
    selector = ClassificationSelector(
        10,
        method="ip-cae",
        n_runs=2,
        max_epochs=table.n_epochs,
        fine_tune=False,
        early_stopping=False,
        random_state=0,
        device="cpu",
    )
    start = time.perf_counter()
    try:
        selector.fit(X, y)
    finally:
        thread_counts.enough = side_by_side.enough = chosen
        torch.set_num_threads(before)
    return time.perf_counter() - start


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "busy_cpu.csv")
    parser.add_argument("--threads", nargs="+", default=["1", "2", "default"])
    parser.add_argument("--busy-threads", nargs="+", default=["default"])
    parser.add_argument("--rounds", type=int, default=3)
    names = [table.name for table in TABLES]
    parser.add_argument("--tables", nargs="+", default=names, choices=names)
    parser.add_argument("--quiet", action="store_true", help="measure on a quiet CPU only")
    arguments = parse(parser, ["tests/training/threads/test_thread_counts.py"])
    n_cores = len(os.sched_getaffinity(0))
    for table in (table for table in TABLES if table.name in arguments.tables):
        X, y = table.rows()
        seconds_of(replace(table, n_epochs=1), X, y, "default")  # the first fit loads libraries
        for busy in (False,) if arguments.quiet else (False, True):
            names = arguments.busy_threads if busy else arguments.threads
            with spinning(n_cores if busy else 0):
                times: dict[str, list[float]] = {name: [] for name in names}
                for _ in range(arguments.rounds):
                    for name in times:
                        times[name].append(seconds_of(table, X, y, name))
            rows = [
                {
                    "table": table.name,
                    "cores": n_cores,
                    "busy": busy,
                    "threads": name,
                    "seconds": round(statistics.median(measured), 3),
                }
                for name, measured in times.items()
            ]
            print(*rows, sep="\n", flush=True)
            write(Path(arguments.out), rows)


if __name__ == "__main__":
    main()
