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
    """Return a table of the items: finished cells and estimated cost."""
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
    header = ["item", "title", "finished"]
    if cost:
        header += ["own CAE-family cells", "seconds on an H200"]
        rows.append(["", "total", "", str(len(seen)), f"{total:.0f}"])
    return markdown.table(header, rows)


def show_item(item: Item, protocol: Protocol, store: Store, folder: Path | None = None) -> None:
    """Print a table, or draw a figure and print its path."""
    results = Results(store.rows(), store.curves())
    print(f"{item.title}\n{item.caption}\n")
    if item.table is not None:
        print(item.table(protocol, results))
    if item.draw is not None:
        cells = owned_cells([item], protocol)
        missing = store.unfinished(cells)
        if not cells:
            print(f"It needs {protocol.study}, which is not among the data sets.")
            return
        if missing:
            print(f"{len(missing)} cells are missing: python -m paper run {item.name}")
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
    """Draw a figure and return the paths of its files."""
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
    """Reduce an image to 96 colors, which makes the file four times smaller."""
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(96, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
