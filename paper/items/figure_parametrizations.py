"""W as a scalar, a diagonal and a full matrix, against CAE."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell, cell
from paper.items.base import Item
from paper.items.pairs import pair, studied
from paper.protocol import TASKS, Protocol, factor
from paper.results import Results

NAMES = {"cae": "CAE", "scalar": "W = w I", "diagonal": "W = diag(w)", "ip-cae": "full W"}


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE and the three weights, both tasks."""
    return [own for task in TASKS for own in _variants(protocol, task).values()]


def _variants(protocol: Protocol, task: str) -> dict[str, Cell]:
    variants: dict[str, Cell] = {}
    for dataset in studied(protocol):
        variants["cae"], variants["ip-cae"] = pair(protocol, dataset, task)
        for weight in ("scalar", "diagonal"):
            variants[weight] = cell(protocol, dataset, task, "ip-cae", weight=weight)
    return {name: variants[name] for name in NAMES if name in variants}


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw validation result and unique percentage over the epochs."""
    from paper import drawing

    figure, axes = drawing.panels(2, 2, 7.2, 4.6, sharex=True, height_ratios=(3, 2))
    for column, task in enumerate(TASKS):
        result, unique = axes[:, column]
        for name, own in _variants(protocol, task).items():
            look = {"color": drawing.COLORS[name], "line": drawing.LINES[name]}
            metric, scale = f"validation_{own.metric}", factor(task)
            drawing.draw_curve(result, results, own, metric, NAMES[name], scale=scale, **look)
            drawing.draw_curve(unique, results, own, "unique_percentage", NAMES[name], **look)
        drawing.percent_axis(unique)
        drawing.label(result, title=task.capitalize(), y=f"validation {drawing.LABEL[task]}")
        drawing.label(unique, x="epoch", y=drawing.UNIQUE)
    drawing.legend_above(figure, axes[0, 0])
    return figure


ITEM = Item(
    name="figure-parametrizations",
    title="Figure: special cases of IP-CAE",
    caption="Validation results on ISOLET with three kinds of W, against CAE.",
    cells=cells,
    draw=draw,
)
