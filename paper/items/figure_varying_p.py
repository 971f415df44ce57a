"""The test error for every embedding size P."""

from __future__ import annotations

from typing import Any

import numpy as np

from paper.items import varying_p
from paper.items.base import Item
from paper.protocol import DATASETS, Protocol
from paper.results import Results


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw the test error against P, with CAE as a horizontal line."""
    from paper import drawing

    cae, *_ = varying_p.cells(protocol)
    sizes = varying_p.by_size(protocol)
    figure, axes = drawing.panels(1, 1, 5.0, 3.2)
    axis = axes[0, 0]
    errors = np.array([1000 * results.test(own) for own in sizes.values()])
    look = {"color": drawing.COLORS["ip-cae"], "linewidth": 1.6, "capsize": 3}
    axis.errorbar([*sizes], errors.mean(1), errors.std(1), marker="o", label="IP-CAE", **look)
    direct = 1000 * results.test(cae)
    color, line = drawing.COLORS["cae"], drawing.LINES["cae"]
    axis.axhline(direct.mean(), color=color, linestyle=line, linewidth=1.6, label="CAE")
    low, high = direct.mean() - direct.std(), direct.mean() + direct.std()
    axis.axhspan(low, high, color=color, alpha=0.15, linewidth=0)
    axis.set_xscale("log", base=2)
    ticks = [f"{size}\n= D" if own.embedding is None else str(size) for size, own in sizes.items()]
    axis.set_xticks([*sizes], ticks)
    axis.minorticks_off()
    drawing.label(axis, x="size of the embedding, P", y="test error × 1000")
    drawing.label(axis, title=f"{DATASETS[cae.dataset].title}, reconstruction")
    drawing.legend(axis)
    return figure


ITEM = Item(
    name="figure-varying-p",
    title="Figure: varying P",
    caption="Test error on ISOLET for every P; the horizontal line is the mean of CAE.",
    cells=varying_p.cells,
    draw=draw,
)
