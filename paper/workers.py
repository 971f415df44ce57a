"""Train cells in parallel processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import torch

from paper.cell import Cell
from paper.records import Curve, Row
from paper.train import run_cell


def run_in_workers(
    cells: list[Cell], splits: str | None, device: str, jobs: int
) -> Iterator[tuple[Cell, list[Row], list[Curve]]]:
    """Yield the results of cells as they finish."""
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),)
    ) as pool:
        futures = {pool.submit(run_cell, cell, splits, device): cell for cell in cells}
        for future in as_completed(futures):
            yield futures[future], *future.result()


def _begin(parent: int) -> None:
    torch.set_num_threads(1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """Exit when the parent process has ended, even if it was killed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
