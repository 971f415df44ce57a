"""Generate paper/README.md from the committed results.

Remarks on an item are in ``notes/<item>.md`` and are inserted below it.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

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

INTRODUCTION = """# Reproduction of the paper

Every table and figure of *Indirectly Parameterized Concrete Autoencoders* (ICML 2024), reproduced
with the public API of `ipcae`. {summary} The speed-ups in epochs agree in eight of twelve cases;
[the others](#speed-up-of-ip-cae-over-cae) are discussed. The [deliberate
differences](#deliberate-differences-from-the-paper) are listed at the end.
"""

STATUS = """**Status** compares our mean with the published one: *within* (two of the paper's
standard deviations, or 0.7 points of accuracy / 1.5 % of the error, whichever is larger), *better*,
or *exception*. The results of STG and LassoNet depend on tuning: they are *better* if they are at
least as good as published, otherwise an *exception*. The text below Table 1 describes what was
tuned on which rows. A *cell* is a combination of data set, task, method and setting.
"""

COMMANDS = """## Run it yourself

```console
$ python -m paper list --cost          # the items, their state and the estimated cost
$ python -m paper run table-1          # train missing cells; --dataset isolet, --device cuda
$ python -m paper show table-1         # print a table or draw a figure
$ python -m paper run all --quick      # two data sets, three runs: minutes on two CPU cores
$ python -m paper readme               # write this page
```

- The ten runs of a cell are trained as one batch, and so is the whole grid of λ. A cell used by
  several items is trained once and stored with the first of them in [results](results). The
  protocol is in [protocol.py](protocol.py), and [items](items) has one file per item.
- An interrupted run resumes at the first unfinished cell; `--force` trains all cells again.
- Data sets are downloaded on first use and verified; `ipcae data get --all` downloads all of them
  beforehand, and `ipcae data list` shows where they are stored.
- `--methods paper` leaves out IP-CAE + GJSD, which is not in the paper, and `--methods cae-family`
  runs only CAE, IP-CAE and their variants with GJSD.
- `python -m paper pack FOLDER` writes the data sets to a folder. With `--splits FOLDER`, the items
  can then be run on a machine that has only NumPy, SciPy, PyTorch and scikit-learn.
- With `--jobs 2`, two cells share the device, so each cell takes longer than it would alone. On a
  GPU this works best with NVIDIA's MPS, started with `nvidia-cuda-mps-control -d`, as was done
  here. The cells of the table of run times are trained last, one at a time.

The seconds of the cells by method, and the elapsed times of the commands:
"""


def write_readme(store: Store) -> None:
    """Draw the figures whose cells are finished, and write the page."""
    results = Results(store.rows(), store.curves())
    for item in ITEMS.values():
        if item.draw is not None and _complete(item, results):
            draw(item, PAPER, results, FIGURES, kinds=("png",))
    page = text(results, timings(store.folder))
    (FOLDER / "README.md").write_text(page, encoding="utf-8")


def text(results: Results, by_the_clock: list[Timing]) -> str:
    """Return the page."""
    parts = [INTRODUCTION.format(summary=_summary(results)), STATUS, _overview(results)]
    parts += [_section(item, results) for item in ITEMS.values()]
    parts += [COMMANDS, _times(results), _clock(by_the_clock)]
    parts += ["## The quick version", (FOLDER / "notes" / "quick.md").read_text(encoding="utf-8")]
    parts += ["## Deliberate differences from the paper", _differences()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _summary(results: Results) -> str:
    """Return how many results of the two main tables agree with the paper."""
    counts = np.zeros(3, dtype=int)
    for name in ("table-1", "table-2"):
        status = ITEMS[name].status
        family = "" if status is None else status(PAPER, results).partition(";")[0]
        counts += [int(number) for number in re.findall(r"\d+", family)] or 0
    return (
        f"**{counts[0]} of {counts.sum()} results of CAE, CAE + GJSD and IP-CAE in Tables 1 and 2 "
        "agree with\nthe paper.**"
    )


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
    """List the items: command, seconds of all cells including shared ones, and status."""
    rows = []
    for item in ITEMS.values():
        cells = list(dict.fromkeys(item.cells(PAPER)))
        finished = [cell for cell in cells if results.has(cell)]
        seconds = sum(results.seconds(cell) for cell in finished)
        state = "not run yet"
        if finished:
            state = "finished" if len(finished) == len(cells) else "partly finished"
            state = item.status(PAPER, results) if item.status else state
        row = [f"[{item.title}](#{_anchor(item.title)})", f"`python -m paper run {item.name}`"]
        rows.append([*row, f"{len(finished)}/{len(cells)}", f"{seconds:.0f}", state])
    return markdown.table(["item", "command", "cells", "seconds", "status"], rows)


def _anchor(title: str) -> str:
    kept = [letter for letter in title.lower() if letter.isalnum() or letter in " -"]
    return "".join(kept).replace(" ", "-")


def _times(results: Results) -> str:
    """Return a table of the seconds by family of methods."""
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
    """Return a table of the elapsed time of the commands."""
    if not by_the_clock:
        return ""
    rows = [
        [f"`{one.items}`", one.methods, one.cells, one.at_a_time, f"{one.seconds:.0f}", one.device]
        for one in by_the_clock
    ]
    names = ["items", "methods", "cells trained", "in parallel", "elapsed seconds", "device"]
    return markdown.table(names, [[str(value) for value in row] for row in rows])


def _differences() -> str:
    return "\n".join(f"- `{name}`: {sentence}" for name, sentence in differences())
