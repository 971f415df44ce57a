"""Cells, and the processes that measure them."""

from __future__ import annotations

import csv
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ipcae.filesystem.atomic import write_whole

Row = dict[str, str]


@dataclass(frozen=True)
class Cell:
    """One selection: which method selects K features of which split of which problem."""

    part: str
    problem: str
    method: str
    selected: int
    split: int

    def key(self) -> tuple[str, ...]:
        """Return the cell as it is written in a row."""
        return tuple(map(str, astuple(self)))


KEY = tuple(field.name for field in fields(Cell))


def read(path: Path) -> list[Row]:
    """Return the rows of a file; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def missing(cells: Iterable[Cell], path: Path) -> list[Cell]:
    """Return the cells that have no row yet."""
    done = {tuple(row[name] for name in KEY) for row in read(path)}
    return [cell for cell in dict.fromkeys(cells) if cell.key() not in done]


def merge(rows: Iterable[Row], path: Path) -> int:
    """Add the rows whose cells are not there yet; return how many."""
    old = read(path)
    done = {tuple(row[name] for name in KEY) for row in old}
    new = {tuple(row[name] for name in KEY): row for row in rows if row.get("value")}
    added = [row for key, row in new.items() if key not in done]
    header = list(dict.fromkeys(column for row in (*old, *added) for column in row))
    text = StringIO()
    writer = csv.DictWriter(text, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows([*old, *added])
    write_whole(path, text.getvalue().encode())
    return len(added)


def measured(
    cells: list[Cell], measure: Callable[[Cell], Row], jobs: int, minutes: float | None
) -> Iterator[tuple[Cell, Row]]:
    """Measure cells in ``jobs`` processes, and yield each when it is ready.

    No cell is begun after ``minutes``.
    """
    end = time.monotonic() + 60 * minutes if minutes else None
    if jobs == 1:
        for cell in cells:
            if end is None or time.monotonic() < end:
                yield cell, measure(cell)
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        futures = {pool.submit(_before, end, measure, cell): cell for cell in cells}
        for future in as_completed(futures):
            row = future.result()
            if row is not None:
                yield futures[future], row


def _before(end: float | None, measure: Callable[[Cell], Row], cell: Cell) -> Row | None:
    return measure(cell) if end is None or time.monotonic() < end else None


def timed(select: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the result of a selection and the seconds that it took."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = select(*arguments)
    return found, time.perf_counter() - began
