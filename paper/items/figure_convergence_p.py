"""Convergence of the training for every embedding size P."""

from __future__ import annotations

from typing import Any

from paper.items import varying_p
from paper.items.base import Item
from paper.protocol import Protocol
from paper.results import Results


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw validation error, unique percentage and GJSD over the epochs."""
    from paper import drawing

    cae, *_ = varying_p.cells(protocol)
    sizes = varying_p.by_size(protocol)
    figure, axes = drawing.panels(1, 3, 10.0, 3.2)
    metrics = (("validation_error", 1000.0), ("unique_percentage", 1.0), ("gjsd", 1.0))
    for axis, (metric, scale) in zip(axes[0], metrics, strict=True):
        shades = drawing.shades(len(sizes))
        for (size, own), color in zip(sizes.items(), shades, strict=True):
            drawing.draw_curve(axis, results, own, metric, f"P = {size}", scale=scale, color=color)
        drawing.draw_curve(axis, results, cae, metric, "CAE", scale=scale)
        drawing.label(axis, x="epoch")
    drawing.percent_axis(axes[0, 1])
    for axis, title in zip(
        axes[0], ("Validation error × 1000", "Unique features (%)", "GJSD"), strict=True
    ):
        drawing.label(axis, title=title)
    drawing.legend_above(figure, axes[0, 0])
    return figure


ITEM = Item(
    name="figure-convergence-p",
    title="Figure: convergence with varying P",
    caption=(
        "Reconstruction on ISOLET, validation rows: error, unique percentage, and generalized "
        "Jensen-Shannon divergence; mean and one standard deviation over the runs."
    ),
    cells=varying_p.cells,
    draw=draw,
)
