"""The folder of results: one CSV file per item, replaced atomically after every finished cell.

A cell that several items share is stored with the first of them. A killed process leaves every
file complete up to the last finished cell.
"""

from __future__ import annotations

import csv
import fcntl
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ipcae.filesystem.atomic import write_whole
from paper.cell import Cell
from paper.records import Curve, Row

RESULTS = Path(__file__).parent / "results"


class Store:
    """The results in a folder."""

    def __init__(self, folder: Path = RESULTS):
        self.folder = folder

    def rows(self) -> list[Row]:
        """Return the rows of all files."""
        return [row for path in sorted(self.folder.glob("*.csv")) for row in _read_rows(path)]

    def curves(self) -> list[Curve]:
        """Return all curves."""
        paths = sorted((self.folder / "curves").glob("*.csv"))
        return [curve for path in paths for curve in _read_curves(path)]

    def unfinished(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells with fewer runs of a setting than they need."""
        runs = defaultdict(set)
        for row in self.rows():
            runs[row.key].add(row.run)
        return [
            cell
            for cell in cells
            if any(len(runs[cell.key(setting)]) < cell.n_runs for setting in cell.settings)
        ]

    def add(self, item: str, cell: Cell, rows: list[Row], curves: list[Curve]) -> None:
        """Store the results of a cell with an item, replacing earlier ones."""
        keys = {cell.key(setting) for setting in cell.settings}
        with self._alone():
            # The rows last: they mark the cell as finished.
            for path in sorted((self.folder / "curves").glob("*.csv")):
                _rewrite(path, _read_curves(path), keys, [])
            if curves:
                path = self.folder / "curves" / f"{item}.csv"
                _rewrite(path, _read_curves(path), keys, curves)
            for path in sorted(self.folder.glob("*.csv")):
                if path.stem != item:
                    _rewrite(path, _read_rows(path), keys, [])
            path = self.folder / f"{item}.csv"
            _rewrite(path, _read_rows(path), keys, rows)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the folder; the operating system releases that of a killed process."""
        (self.folder / "curves").mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for scratch in self.folder.rglob(".*.part"):
                scratch.unlink()
            yield


def _rewrite(
    path: Path,
    old: Sequence[Row | Curve],
    keys: set[tuple[str, str, str, str]],
    new: Sequence[Row | Curve],
) -> None:
    kept = [record for record in old if record.key not in keys]
    records = sorted([*kept, *new], key=lambda record: record[:6])
    if records == list(old):
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if records:
        writer.writerow(records[0]._fields)
    writer.writerows([_cell_text(value) for value in record] for record in records)
    write_whole(path, text.getvalue().encode())


def _cell_text(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return " ".join(f"{number:.4g}" for number in value)
    return value


def _records(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def _read_rows(path: Path) -> list[Row]:
    return [Row.read(line) for line in _records(path)]


def _read_curves(path: Path) -> list[Curve]:
    return [Curve.read(line) for line in _records(path)]
