"""The picture of docs/scale.md: measured steps, and the cost model beyond them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from cost_model import CostModel, Measurement, Size

from paper.drawing import COLORS, INK, PALE, label, legend, panels

# Panel: what varies, a size with everything else, and the range of the line.
PANELS = {
    "features": ("columns, D", Size(), (196, 10**8)),
    "runs": ("runs, R", Size(embedding=784), (1, 1000)),
    "rows": ("rows per batch, B", Size(embedding=784), (32, 10**5)),
}
DRAWS = {
    None: ("one draw per row", COLORS["ip-cae"], "-", "o"),
    8: ("8 draws per batch", COLORS["diagonal"], "-.", "^"),
    1: ("1 draw per batch", COLORS["cae"], "--", "s"),
}


def draw(model: CostModel, fitted: list[Measurement], held: list[Measurement], path: Path) -> None:
    """Draw one panel for every size that varies."""
    figure, axes = panels(1, len(PANELS), 12, 3.8)
    for one, (name, (title, base, ends)) in zip(axes[0], PANELS.items(), strict=True):
        sizes = np.unique(np.geomspace(*ends, 60).astype(int))
        shown = {row.size.draws for row in (*fitted, *held) if row.series == name}
        for draws, (words, color, style, marker) in DRAWS.items():
            if draws not in shown:
                continue
            times = [
                model.microseconds(replace(base, draws=draws, **{name: int(n)})) for n in sizes
            ]
            one.plot(sizes, times, style, color=color, label=words)
            for rows, filled in ((fitted, True), (held, False)):
                own = [r for r in rows if r.series == name and r.size.draws == draws]
                one.plot(
                    [getattr(row.size, name) for row in own],
                    [row.value for row in own],
                    marker,
                    color=color,
                    markerfacecolor=color if filled else "white",
                    markersize=5,
                )
        largest = max(getattr(row.size, name) for row in held if row.series == name)
        one.axvspan(largest, ends[1], color=PALE, alpha=0.25, linewidth=0)
        one.set_xscale("log")
        one.set_yscale("log")
        one.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        label(one, x=title, y="time per step, µs" if one is axes[0, 0] else "")
    legend(axes[0, 0], loc="upper left")
    legend(axes[0, 1], loc="upper left")
    axes[0, 0].text(
        0.98,
        0.04,
        "gray: extrapolated",
        transform=axes[0, 0].transAxes,
        ha="right",
        color=INK,
        fontsize=8,
    )
    figure.savefig(path, dpi=130)
