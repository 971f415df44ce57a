"""The instability of CAE and its unique percentage."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell, cell
from paper.items.base import Item
from paper.protocol import DATASETS, RECONSTRUCTION, Protocol
from paper.results import Results


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE on every data set."""
    return [cell(protocol, dataset, RECONSTRUCTION, "cae") for dataset in protocol.datasets]


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw the validation error above the unique percentage, a column for every data set."""
    from paper import drawing

    columns = cells(protocol)
    figure, axes = drawing.panels(2, len(columns), 2.1 * len(columns), 3.6, sharex="col")
    for column, own in enumerate(columns):
        top, bottom = axes[:, column]
        drawing.draw_curve(top, results, own, "validation_error", "CAE", scale=1000)
        drawing.draw_curve(bottom, results, own, "unique_percentage", "CAE")
        drawing.percent_axis(bottom)
        drawing.label(top, title=DATASETS[own.dataset].title)
        drawing.label(bottom, x="epoch")
    drawing.label(axes[0, 0], y="validation error × 1000")
    drawing.label(axes[1, 0], y=drawing.UNIQUE)
    return figure


ITEM = Item(
    name="figure-instability",
    title="Figure: instability of CAE",
    caption=(
        "Validation error of CAE and the percentage of different features among its nodes' "
        "choices; mean and one standard deviation over the runs."
    ),
    cells=cells,
    draw=draw,
)
