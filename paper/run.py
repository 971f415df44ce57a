"""Train the unfinished cells of items."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from paper import judge
from paper.cell import Cell
from paper.clock import Timing, note
from paper.items import ITEMS, Item
from paper.protocol import GROUPS, TITLES, Protocol
from paper.records import Curve, Row
from paper.store import Store
from paper.train import device_name, run_cell
from paper.workers import Workers, run_in_workers

EVERY_RUN = ("table-1", "table-2")  # keep the curves of every run, for the speed-up
TIMED = "run-time"  # the item whose cells have the GPU for themselves


def owned_cells(items: list[Item], protocol: Protocol) -> dict[Cell, str]:
    """Return the cells of items, each with the first item that has it."""
    owners: dict[Cell, str] = {}
    for item in ITEMS.values():
        for cell in item.cells(protocol):
            owners.setdefault(cell, item.name)
    wanted = dict.fromkeys(cell for item in items for cell in item.cells(protocol))
    return {cell: owners[cell] for cell in wanted}


def run_items(
    items: list[Item],
    protocol: Protocol,
    store: Store,
    splits: str | None = None,
    device: str = "auto",
    *,
    force: bool = False,
    methods: str = "all",
    workers: Workers = Workers(),  # noqa: B008
) -> None:
    """Train the missing cells, or all cells with ``force``.

    ``methods`` restricts the cells to a group of methods. On a GPU, cells whose time is shown are
    trained last, one at a time.
    """
    owners = owned_cells(items, protocol)
    group = GROUPS[methods]
    if group is not None:
        owners = {cell: owner for cell, owner in owners.items() if cell.method in group}
    todo = list(owners) if force else store.unfinished(owners)
    print(f"{len(owners)} cells, {len(owners) - len(todo)} of them finished", flush=True)
    timed = set(ITEMS[TIMED].cells(protocol)) if ITEMS[TIMED] in items else set()
    alone = timed if device_name(device) != "cpu" else set()
    began = time.perf_counter()
    results = _results(todo, splits, device, workers, alone)
    for number, (cell, rows, curves) in enumerate(results, 1):
        kept = [curve for curve in curves if owners[cell] in EVERY_RUN or not curve.of_one_run]
        store.add(owners[cell], cell, rows, kept)
        names = f"{cell.dataset} {cell.task} {TITLES.get(cell.method, '')} {cell.setting}"
        print(f"[{number}/{len(todo)}] {names}: {_outcome(cell, rows)}", flush=True)
    seconds = time.perf_counter() - began
    print(f"{seconds:.0f} seconds in total")
    if todo:
        names = "all" if len(items) == len(ITEMS) else ", ".join(item.name for item in items)
        timing = Timing(names, methods, len(todo), workers.jobs, seconds, device_name(device))
        note(store.folder, timing)


def _results(
    cells: list[Cell], splits: str | None, device: str, workers: Workers, alone: set[Cell]
) -> Iterator[tuple[Cell, list[Row], list[Curve]]]:
    if workers.jobs > 1:
        yield from run_in_workers(cells, splits, device, workers, alone)
        return
    for cell in cells:
        yield cell, *run_cell(cell, splits, device)


def _outcome(cell: Cell, rows: list[Row]) -> str:
    """Format the results of a cell for every setting of its grid."""
    parts = []
    for setting in cell.settings:
        mine = [row for row in rows if row.setting == setting]
        values = [row.value for row in mine if row.metric == f"test_{cell.metric}"]
        if values:
            name = setting.removeprefix(cell.setting).strip()
            text = judge.runs_text(cell, np.array(values))
            parts.append(f"{name} {text}".strip())
    seconds = rows[0].seconds * len(cell.settings)
    return f"{', '.join(parts)} in {seconds:.1f} s"
