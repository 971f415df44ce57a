"""Run the cells of items that are not finished, one after another."""

from __future__ import annotations

import sys
import time

import numpy as np

from ipcae import InputError
from paper import judge
from paper.cell import Cell
from paper.items import ITEMS, Item
from paper.protocol import TITLES, Protocol
from paper.records import Row
from paper.store import Store
from paper.train import run_cell


def owned_cells(items: list[Item], protocol: Protocol) -> dict[Cell, str]:
    """Return the cells that items need, each with the first of all items that needs it."""
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
    force: bool = False,
    methods: tuple[str, ...] | None = None,
) -> int:
    """Train what is missing, or everything with ``force``; return 1 where a method is missing.

    ``methods`` leaves out the cells of all others.
    """
    owners = owned_cells(items, protocol)
    if methods is not None:
        owners = {cell: owner for cell, owner in owners.items() if cell.method in methods}
    todo = list(owners) if force else store.unfinished(owners)
    print(f"{len(owners)} cells, {len(owners) - len(todo)} of them finished", flush=True)
    failed, began = 0, time.perf_counter()
    for number, cell in enumerate(todo, start=1):
        label = f"[{number}/{len(todo)}] {cell.dataset} {cell.task} {TITLES.get(cell.method, '')}"
        try:
            cell.arguments()
        except InputError as error:
            failed += 1
            print(f"{label}: not available yet ({error})", file=sys.stderr, flush=True)
            continue
        rows, curves = run_cell(cell, splits, device)
        store.add(owners[cell], cell, rows, curves)
        print(f"{label} {cell.setting}: {_outcome(cell, rows)}", flush=True)
    print(f"{time.perf_counter() - began:.0f} seconds in all")
    return min(failed, 1)


def _outcome(cell: Cell, rows: list[Row]) -> str:
    """Say what a cell gave, every setting of a grid."""
    parts = []
    for setting in cell.settings:
        mine = [r for r in rows if r.setting == setting]
        values = [r.value for r in mine if r.metric == f"test_{cell.metric}"]
        if values:
            name = setting.removeprefix(cell.setting).strip()
            text = judge.figure_text(cell, *judge.summary(np.array(values)))
            parts.append(f"{name} {text}".strip())
    seconds = rows[0].seconds * len(cell.settings)
    return f"{', '.join(parts)} in {seconds:.1f} s"
