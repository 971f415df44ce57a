"""How long commands took by the clock: cells that train side by side are counted once."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class Timing(NamedTuple):
    """A command that trained so many cells, so many at a time."""

    items: str
    methods: str
    cells: int
    at_a_time: int
    seconds: float
    device: str


def note(folder: Path, timing: Timing) -> None:
    """Add a finished command to the list beside the results."""
    path = _path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(Timing._fields)
        writer.writerow(timing._replace(seconds=round(timing.seconds)))


def timings(folder: Path) -> list[Timing]:
    """Return the commands that finished, the first one first."""
    path = _path(folder)
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))[1:]
    return [
        Timing(items, methods, int(cells), int(jobs), float(seconds), device)
        for items, methods, cells, jobs, seconds, device in lines
    ]


def _path(folder: Path) -> Path:
    return folder / "clock" / "commands.csv"
