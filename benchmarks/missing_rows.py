"""Measure the cases that a file of rows does not contain yet, in several processes."""

from __future__ import annotations

import csv
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def measure_missing(
    path: Path,
    key: tuple[str, ...],
    cases: list[Row],
    work: Callable[[Row], Row],
    jobs: int,
    out: Path | None = None,
) -> None:
    """Work on the cases that the file does not contain, and append their rows.

    With ``out``, the new rows are appended to a file of the same name in this folder.
    """
    known, path = read_rows(path), path if out is None else out / path.name
    done = {tuple(row[name] for name in key) for row in (*known, *read_rows(path))}
    missing = [case for case in cases if tuple(str(case[name]) for name in key) not in done]
    print(f"{path.name}: {len(done)} rows are there, {len(missing)} are missing.", flush=True)
    with ProcessPoolExecutor(jobs) as pool, path.open("a", newline="") as file:
        futures = [pool.submit(work, case) for case in missing]
        for number, future in enumerate(as_completed(futures), start=1):
            row = future.result()
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            if number % 20 == 0 or number == len(missing):
                print(f"{number} of {len(missing)}", flush=True)


def read_rows(path: Path) -> list[Row]:
    """Return the rows that were measured."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
