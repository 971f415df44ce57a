"""Print tables, draw figures, list the items."""

from __future__ import annotations

from pathlib import Path

from paper import markdown
from paper.cost import seconds as estimated
from paper.items import ITEMS, Item
from paper.protocol import CAE_FAMILY, Protocol
from paper.results import Results
from paper.run import owned_cells
from paper.store import Store


def list_items(protocol: Protocol, store: Store, cost: bool = False) -> str:
    """Return a table of the items: how many cells are finished, and what they should cost."""
    rows, seen, total = [], set(), 0.0
    for item in ITEMS.values():
        cells = list(dict.fromkeys(item.cells(protocol)))
        left = len(store.unfinished(cells))
        row = [item.name, item.title, f"{len(cells) - left}/{len(cells)}"]
        if cost:
            new = [cell for cell in cells if cell not in seen and cell.method in CAE_FAMILY]
            seconds = sum(estimated(cell) for cell in new)
            seen.update(new)
            total += seconds
            row += [str(len(new)), f"{seconds:.0f}"]
        rows.append(row)
    header = ["item", "what", "finished"]
    if cost:
        header += ["CAE-family cells of its own", "seconds on an H200"]
        rows.append(["", "all", "", str(len(seen)), f"{total:.0f}"])
    return markdown.table(header, rows)


def show_item(item: Item, protocol: Protocol, store: Store, folder: Path | None = None) -> None:
    """Print a table, or draw a figure into a folder and say where it is."""
    results = Results(store.rows(), store.curves())
    print(f"{item.title}\n{item.caption}\n")
    if item.table is not None:
        print(item.table(protocol, results))
    if item.draw is not None:
        cells = owned_cells([item], protocol)
        missing = store.unfinished(cells)
        if not cells:
            print(f"It is of {protocol.study}, which is left out here.")
            return
        if missing:
            print(f"{len(missing)} cells have not run yet: python -m paper run {item.name}")
            return
        for path in draw(item, protocol, results, folder or store.folder / "figures"):
            print(path)


def draw(
    item: Item,
    protocol: Protocol,
    results: Results,
    folder: Path,
    kinds: tuple[str, ...] = ("png", "svg"),
) -> list[Path]:
    """Draw a figure as PNG and SVG; return the paths."""
    assert item.draw is not None
    folder.mkdir(parents=True, exist_ok=True)
    figure = item.draw(protocol, results)
    paths = [folder / f"{item.name}.{kind}" for kind in kinds]
    for path in paths:
        figure.savefig(path, dpi=130)
        if path.suffix == ".png":
            _few_colors(path)
    return paths


def _few_colors(path: Path) -> None:
    """Keep 96 colors, enough for these figures, in a fourth of the bytes."""
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(96, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
