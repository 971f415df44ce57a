"""Common style of the figures, readable in gray and with color blindness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from paper.cell import Cell
from paper.results import Results

# The color-blind safe palette of Okabe and Ito; every method also has its own line style.
COLORS = {"cae": "#D55E00", "ip-cae": "#0072B2", "diagonal": "#009E73", "scalar": "#CC79A7"}
LINES: dict[str, Any] = {
    "cae": (0, (5, 1.5)),
    "ip-cae": "-",
    "diagonal": "-.",
    "scalar": (0, (1, 1.2)),
}
INK, PALE = "#333333", "#B8BCC2"
LABEL = {"classification": "accuracy (%)", "reconstruction": "error × 1000"}
UNIQUE = "unique features (%)"


def panels(rows: int, columns: int, width: float, height: float, **options: Any) -> Any:
    """Return a figure, sized in inches, and its axes as a 2D array."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for one in axes.flat:
        quiet(one)
    return figure, axes


def quiet(axes: Axes) -> None:
    """Remove the top and right spines and mute the rest."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)
    axes.tick_params(labelsize=8, colors=INK, length=3, color=PALE)
    axes.grid(axis="y", color=PALE, alpha=0.45, linewidth=0.6)
    axes.set_axisbelow(True)


def label(axes: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Set the title and the axis labels."""
    if title:
        axes.set_title(title, loc="left", fontsize=10, color=INK)
    if x:
        axes.set_xlabel(x, fontsize=9, color=INK)
    if y:
        axes.set_ylabel(y, fontsize=9, color=INK)


def legend(axes: Axes, **options: Any) -> None:
    """Add a legend to the axes."""
    axes.legend(fontsize=8, frameon=False, labelcolor=INK, handlelength=2.4, **options)


def legend_above(figure: Figure, axes: Axes) -> None:
    """Add one legend for all panels above them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=len(labels),
        fontsize=9,
        frameon=False,
        labelcolor=INK,
        handlelength=2.8,
    )


def draw_curve(
    axes: Axes,
    results: Results,
    cell: Cell,
    metric: str,
    name: str,
    *,
    scale: float = 1.0,
    color: Any = None,
    line: Any = None,
    band: bool = True,
) -> None:
    """Draw the mean over the runs with a band of one standard deviation."""
    epochs, mean = results.curve(cell, metric)
    _, std = results.curve(cell, metric, "std")
    color = color or COLORS[cell.method]
    line = line or LINES[cell.method]
    axes.plot(epochs, scale * mean, color=color, linestyle=line, linewidth=1.6, label=name)
    if band:
        low, high = scale * (mean - std), scale * (mean + std)
        if metric == "unique_percentage":
            high = np.minimum(high, 100.0)
        axes.fill_between(epochs, low, high, color=color, alpha=0.18, linewidth=0)
    axes.set_xlim(0, epochs[-1])
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))


def shades(count: int) -> list[Any]:
    """Return colors from dark to light, ordered in gray too."""
    return [colormaps["viridis"](x) for x in np.linspace(0.0, 0.85, count)]


def percent_axis(axes: Axes) -> None:
    """Set the limits of an axis of percentages, including 100."""
    low = min([*_lowest(axes), 95.0])
    axes.set_ylim(max(0.0, 10 * np.floor(low / 10) - 2), 102)


def _lowest(axes: Axes) -> Sequence[float]:
    """Return the lowest value of every line and of every band."""
    lines = [np.asarray(line.get_ydata(), dtype=float) for line in axes.get_lines()]
    bands = [path.vertices[:, 1] for band in axes.collections for path in band.get_paths()]
    return [float(np.nanmin(values)) for values in (*lines, *bands)]
