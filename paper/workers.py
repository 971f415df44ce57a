"""Train cells in parallel processes: some share the device, others rank features on the cores."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from multiprocessing.synchronize import Lock
from typing import Any

import joblib
import torch
from threadpoolctl import threadpool_limits

from paper.cell import Cell
from paper.cost import longest_first
from paper.protocol import GROUPS
from paper.records import Curve, Row
from paper.train import run_cell

RANKING_THREADS = 2
Results = tuple[list[Row], list[Curve]]


@dataclass(frozen=True)
class Workers:
    """The numbers of processes.

    ``jobs`` processes share the device. The classical methods, which mostly need the CPU, have
    ``ranking_jobs`` processes of their own, or none, if they are to be trained by the others.
    """

    jobs: int = 1
    ranking_jobs: int = 0

    @classmethod
    def on(cls, device: str, jobs: int, ranking_jobs: int | None = None) -> Workers:
        """Return the workers of a device; beside a GPU, rankings use the cores that are left."""
        if ranking_jobs is None:
            gpu = torch.cuda.is_available() and device != "cpu"
            ranking_jobs = max(joblib.cpu_count() - jobs, 0) // RANKING_THREADS if gpu else 0
        return cls(jobs, ranking_jobs)


def run_in_workers(
    cells: list[Cell],
    splits: str | None,
    device: str,
    workers: Workers,
    alone: Collection[Cell] = (),
) -> Iterator[tuple[Cell, list[Row], list[Curve]]]:
    """Yield the results of cells as they finish, those that need the device ``alone`` last.

    The kernels of the last ones are compiled before, while the device is busy with the others. One
    of them is trained at a time, while the others are evaluated on the CPU. If a cell fails, the
    others are trained nevertheless, and its error is raised in the end.
    """
    ranked = [cell for cell in cells if workers.ranking_jobs and cell.method in _classical()]
    shared = [cell for cell in cells if cell not in ranked and cell not in alone]
    last = [cell for cell in cells if cell in alone]
    failed: list[BaseException] = []

    def finished(
        futures: dict[Future[Results], Cell],
    ) -> Iterator[tuple[Cell, list[Row], list[Curve]]]:
        for future in as_completed(futures):
            error = future.exception()
            if error is None:
                yield futures[future], *future.result()
            else:
                print(f"{futures[future].key()}: {error!r}", file=sys.stderr, flush=True)
                failed.append(error)

    with (
        _processes(workers.jobs) as trainers,
        _processes(max(workers.ranking_jobs, 1), RANKING_THREADS, nice=10) as rankers,
    ):
        compiled = [rankers.submit(compile_kernels, cell, splits, device) for cell in last]
        futures = {
            pool.submit(run_cell, cell, splits, device): cell
            for pool, own in ((rankers, ranked), (trainers, shared))
            for cell in longest_first(own)
        }
        rankers.shutdown(wait=False)  # its processes end as soon as they are not needed
        yield from finished(futures)
        yield from finished(
            {trainers.submit(run_in_turn, cell, splits, device): cell for cell in last}
        )
    failed += filter(None, (future.exception() for future in compiled))
    if failed:
        raise failed[0]


def compile_kernels(cell: Cell, splits: str | None, device: str) -> None:
    """Train a cell for one epoch, which compiles its kernels for all processes of the machine."""
    run_cell(replace(cell, epochs=1), splits, device)


def run_in_turn(cell: Cell, splits: str | None, device: str) -> Results:
    """Train a cell when no other process of the pool trains one."""
    return run_cell(cell, splits, device, _turn)


def _classical() -> tuple[str, ...]:
    return GROUPS["classical"] or ()


def _processes(jobs: int, n_threads: int = 1, nice: int = 0) -> ProcessPoolExecutor:
    """Return a pool; its processes start when they are needed, with a lower priority if nice."""
    context = multiprocessing.get_context("spawn")
    arguments = context.Lock(), n_threads, nice
    return ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=arguments)


_turn: AbstractContextManager[Any] = nullcontext()
"""In a process of a pool, the lock that its processes share."""


def _begin(turn: Lock, n_threads: int, nice: int) -> None:
    global _turn
    _turn = turn
    os.nice(nice)
    torch.set_num_threads(n_threads)
    # In a container, BLAS may see more cores than there are, and its threads wait for each other.
    threadpool_limits(n_threads)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent process has ended, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
