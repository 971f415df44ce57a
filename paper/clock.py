"""Elapsed times of commands, in which cells trained in parallel count once."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class Timing(NamedTuple):
    """The elapsed time of a command."""

    items: str
    methods: str
    cells: int
    at_a_time: int
    seconds: float
    device: str


def note(folder: Path, timing: Timing) -> None:
    """Append a finished command to the file of timings."""
    path = _path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(Timing._fields)
        writer.writerow(timing._replace(seconds=round(timing.seconds)))


def timings(folder: Path) -> list[Timing]:
    """Return the finished commands in order."""
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
