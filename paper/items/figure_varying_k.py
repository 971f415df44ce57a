"""The test result for every number K of selected features."""

from __future__ import annotations

from typing import Any

import numpy as np

from paper.cell import Cell, cell
from paper.items.base import Item
from paper.items.pairs import PAIR, varied
from paper.protocol import TASKS, TITLES, Protocol, factor
from paper.results import Results


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE and IP-CAE with every K, both tasks."""
    return varied(protocol, "k", protocol.selected)


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw the test result against K."""
    from paper import drawing

    figure, axes = drawing.panels(1, 2, 7.6, 3.2)
    for axis, task in zip(axes[0], TASKS, strict=True):
        for method in PAIR:
            own = [cell(protocol, protocol.study, task, method, k=k) for k in protocol.selected]
            values = factor(task) * np.array([results.test(one) for one in own])
            axis.errorbar(
                protocol.selected,
                values.mean(1),
                values.std(1),
                color=drawing.COLORS[method],
                linestyle=drawing.LINES[method],
                linewidth=1.6,
                marker="o" if method == "ip-cae" else "s",
                markersize=5,
                capsize=3,
                label=TITLES[method],
            )
        axis.set_xticks(protocol.selected)
        title = task.capitalize()
        drawing.label(axis, title=title, x="selected features, K", y=f"test {drawing.LABEL[task]}")
    drawing.legend(axes[0, 0])
    return figure


ITEM = Item(
    name="figure-varying-k",
    title="Figure: varying K",
    caption="Test results on ISOLET; mean and one standard deviation over the runs.",
    cells=cells,
    draw=draw,
)
