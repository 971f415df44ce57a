"""Write paper/README.md of the committed results.

What is to be said of an item beside its figures, such as the reason of an exception, is in
``notes/<item>.md`` and is added below it.
"""

from __future__ import annotations

from pathlib import Path

from paper import markdown
from paper.cell import Cell
from paper.clock import Timing, timings
from paper.differences import differences
from paper.items import ITEMS, Item
from paper.protocol import CAE_FAMILY, PAPER, RIVALS
from paper.results import Results
from paper.show import draw
from paper.store import Store

FOLDER = Path(__file__).parent
FIGURES = FOLDER / "figures"

INTRODUCTION = """# The paper, reproduced

Every table and every figure of *Indirectly Parameterized Concrete Autoencoders* (ICML 2024), made
with the public API of `ipcae`; only the figure of the update's norms looks inside the engine. This
page is written by `python -m paper readme`.

```console
$ python -m paper list --cost          # the items, what is finished, what the rest will cost
$ python -m paper run table-1          # train what is missing; --dataset isolet, --device cuda
$ python -m paper show table-1         # published beside ours; figures are drawn
$ python -m paper run all --quick      # two data sets, three runs: minutes on two CPU cores, below
```

On a machine that has NumPy, SciPy, PyTorch and scikit-learn alone, `--splits FOLDER` reads what
`python -m paper pack FOLDER` wrote elsewhere. `--methods cae-family` leaves out the
rivals.

Ten runs of a cell (data set × task × method × setting) train as one batch, and so does the whole
grid of λ. A cell that several items need is trained once and kept in the table of the first, in
[results](results): data set, task, method, setting, run, metric, value, code version, device,
seconds of the cell. With `--jobs 2` two cells share the device (a GPU best through NVIDIA's MPS,
started with `nvidia-cuda-mps-control -d`, as here), and the seconds of each are longer than alone;
the last of the three tables below has the time by the clock.
A run that was killed goes on where it stopped; `--force` trains again.
The protocol is [protocol.py](protocol.py), one file per item is in [items](items).

**Status** says how our mean compares with the published one: *within* two of the paper's standard
deviations or 0.7 points of accuracy / 1.5 % of the error, whichever is wider; *better*; or an
*exception*. The results of STG and LassoNet depend on tuning: as good as published is *better*,
worse is an *exception*. What was tuned, and on which rows, is said below Table 1.
"""


def write_readme(store: Store) -> None:
    """Draw the figures that have run, and write the page."""
    results = Results(store.rows(), store.curves())
    for item in ITEMS.values():
        if item.draw is not None and _complete(item, results):
            draw(item, PAPER, results, FIGURES, kinds=("png",))
    page = text(results, timings(store.folder))
    (FOLDER / "README.md").write_text(page, encoding="utf-8")


def text(results: Results, by_the_clock: list[Timing]) -> str:
    """Return the page."""
    parts = [INTRODUCTION, _overview(results), _times(results), _clock(by_the_clock)]
    parts += [_section(item, results) for item in ITEMS.values()]
    parts += ["## The quick version", (FOLDER / "notes" / "quick.md").read_text(encoding="utf-8")]
    parts += ["## Deliberate differences", _differences()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _complete(item: Item, results: Results) -> bool:
    return all(results.has(cell) for cell in item.cells(PAPER))


def _section(item: Item, results: Results) -> str:
    parts = [f"## {item.title}", item.caption]
    if item.table is not None:
        parts.append(item.table(PAPER, results))
    elif _complete(item, results):
        parts.append(f"![{item.title}](figures/{item.name}.png)")
    else:
        parts.append("Not run yet.")
    notes = FOLDER / "notes" / f"{item.name}.md"
    if notes.exists():
        parts.append(notes.read_text(encoding="utf-8").strip())
    return "\n\n".join(parts)


def _overview(results: Results) -> str:
    """List the items: the command, the seconds of their cells, shared ones included, the status."""
    rows = []
    for item in ITEMS.values():
        cells = list(dict.fromkeys(item.cells(PAPER)))
        finished = [cell for cell in cells if results.has(cell)]
        seconds = sum(results.seconds(cell) for cell in finished)
        state = "not run yet"
        if finished:
            state = "made" if len(finished) == len(cells) else "in part"
            state = item.status(PAPER, results) if item.status else state
        row = [f"[{item.title}](#{_anchor(item.title)})", f"`python -m paper run {item.name}`"]
        rows.append([*row, f"{len(finished)}/{len(cells)}", f"{seconds:.0f}", state])
    return markdown.table(["item", "command", "cells", "seconds", "status"], rows)


def _anchor(title: str) -> str:
    kept = [letter for letter in title.lower() if letter.isalnum() or letter in " -"]
    return "".join(kept).replace(" ", "-")


def _times(results: Results) -> str:
    """Write the seconds of all cells, by family of methods."""
    cells = dict.fromkeys(cell for item in ITEMS.values() for cell in item.cells(PAPER))
    families: dict[str, list[Cell]] = {"CAE family": [], "STG": [], "LassoNet": [], "classical": []}
    for cell in cells:
        if cell.method in CAE_FAMILY:
            families["CAE family"].append(cell)
        elif cell.method in RIVALS:
            families[{"stg": "STG", "lassonet": "LassoNet"}[cell.method]].append(cell)
        elif cell.study == "selection":
            families["classical"].append(cell)
    rows = []
    for name, own in families.items():
        finished = [cell for cell in own if results.has(cell)]
        devices = ", ".join(sorted({device for _, device in results.origins(finished)}))
        seconds = sum(results.seconds(cell) for cell in finished)
        rows.append([name, f"{len(finished)}/{len(own)}", f"{seconds:.0f}", devices])
    return markdown.table(["methods", "finished cells", "seconds", "device"], rows)


def _clock(by_the_clock: list[Timing]) -> str:
    """Write how long the commands took."""
    if not by_the_clock:
        return ""
    rows = [
        [f"`{one.items}`", one.methods, one.cells, one.at_a_time, f"{one.seconds:.0f}", one.device]
        for one in by_the_clock
    ]
    names = ["items", "methods", "cells trained", "at a time", "seconds by the clock", "device"]
    return markdown.table(names, [[str(value) for value in row] for row in rows])


def _differences() -> str:
    return "\n".join(f"- `{name}`: {sentence}" for name, sentence in differences())
