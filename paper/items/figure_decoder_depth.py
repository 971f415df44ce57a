"""Linear, one and two hidden layers in the decoder."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell, cell
from paper.items.base import Item
from paper.items.pairs import PAIR, varied
from paper.protocol import TASKS, TITLES, Protocol, factor
from paper.results import Results

NAMES = {0: "linear", 1: "one hidden\nlayer", 2: "two hidden\nlayers"}


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE and IP-CAE with every decoder, both tasks."""
    return varied(protocol, "hidden_layers", protocol.hidden_layers)


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw box plots of the test results, with whiskers from minimum to maximum."""
    from paper import drawing

    figure, axes = drawing.panels(1, 2, 7.6, 3.4)
    for axis, task in zip(axes[0], TASKS, strict=True):
        for shift, method in zip((-0.2, 0.2), PAIR, strict=True):
            own = [
                cell(protocol, protocol.study, task, method, hidden_layers=layers)
                for layers in protocol.hidden_layers
            ]
            color = drawing.COLORS[method]
            axis.boxplot(
                [factor(task) * results.test(one) for one in own],
                positions=[place + shift for place in range(len(own))],
                widths=0.32,
                whis=(0, 100),
                patch_artist=True,
                boxprops={
                    "facecolor": color if method == "ip-cae" else "white",
                    "edgecolor": color,
                    "alpha": 0.85,
                },
                medianprops={"color": drawing.INK, "linewidth": 1.0},
                whiskerprops={"color": color},
                capprops={"color": color},
                label=TITLES[method],
            )
        axis.set_xticks(range(len(NAMES)), NAMES.values())
        drawing.label(axis, title=task.capitalize(), y=f"test {drawing.LABEL[task]}")
    drawing.legend_above(figure, axes[0, 0])
    return figure


ITEM = Item(
    name="figure-decoder-depth",
    title="Figure: hidden layers of the decoder",
    caption=(
        "Test results on ISOLET with a linear decoder, one and two hidden layers of 200. Boxes "
        "show quartiles, whiskers minimum and maximum."
    ),
    cells=cells,
    draw=draw,
)
