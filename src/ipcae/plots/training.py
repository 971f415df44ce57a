"""Training curves: validation loss and unique percentage."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from ipcae.arrays import Floats, Integers
from ipcae.plots import style
from ipcae.training.states.history import HistoryColumns

Curve = tuple[Integers, Floats]


def plot_training(
    history: HistoryColumns, best_run: int = 0, *, axes: tuple[Axes, ...] | None = None
) -> Figure:
    """Draw the validation loss and, for methods with nodes, the unique percentage of every run.

    Parameters
    ----------
    history : mapping of arrays
        ``history_`` of a selector; the columns run, epoch, metric and value are used.
    best_run : int, default=0
        The run to highlight.
    axes : two Axes, optional
        Axes for the loss and the percentage; by default those of a new figure. Without nodes, one
        is enough, and a second is left empty.

    See Also
    --------
    ipcae.plots.TrainingDisplay : Curves of the training.

    Examples
    --------
    >>> history = {
    ...     "run": np.zeros(4, int),
    ...     "epoch": np.array([0, 1, 0, 1]),
    ...     "metric": np.array(["validation_loss"] * 2 + ["unique_percentage"] * 2, dtype=object),
    ...     "value": np.array([0.5, 0.2, 80.0, 100.0]),
    ... }
    >>> [axes.get_ylabel() for axes in plot_training(history).axes]
    ['validation loss', 'unique features (%)']
    """
    runs = np.unique(history["run"]).tolist()
    losses = {run: _curve(history, "validation_loss", run) for run in runs}
    unique = {run: _curve(history, "unique_percentage", run) for run in runs}
    nodes = has_nodes(history)
    if axes is not None:
        top, bottom, figure = axes[0], axes[-1], style.figure_of(axes[0])
        if not nodes and bottom is not top:
            bottom.set_axis_off()
    elif nodes:
        figure = style.new_figure(7.2, 5.4)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    else:
        figure = style.new_figure(7.2, 3.6)
        top = bottom = figure.subplots()
    _draw(top, losses, best_run)
    style.quiet_axes(top, grid="y")
    _scale_loss(top, losses)
    style.label_axes(top, y="validation loss")
    if nodes:
        _draw_unique((top, bottom), losses, unique, best_run)
    else:
        style.label_axes(top, "epoch")
    if top.get_legend_handles_labels()[1]:
        top.legend(fontsize=style.TICK_SIZE, frameon=False, labelcolor=style.INK)
    if len(runs) > 1:
        style.set_title(
            top, f"Run {best_run} reached the lowest validation loss of {len(runs)} runs"
        )
    else:
        style.set_title(top, "Validation loss")
    return figure


def has_nodes(history: HistoryColumns) -> bool:
    """Return whether a history is that of a method with nodes."""
    return bool((history["metric"] == "unique_percentage").any())


def _draw_unique(
    panels: tuple[Axes, Axes], losses: dict[int, Curve], unique: dict[int, Curve], best_run: int
) -> None:
    """Draw the unique percentage below the loss, and mark the epoch of the selection in both."""
    panel = panels[1]
    _draw(panel, unique, best_run)
    style.quiet_axes(panel, grid="y")
    style.label_axes(panel, "epoch", "unique features (%)")
    panel.set_ylim(0, 105)
    _mark_fine_tuning(panels, losses, unique)
    _mark_choice(panels, losses.get(best_run), unique.get(best_run))
    style.set_title(panel, "Distinct features among the nodes")


def _curve(history: HistoryColumns, metric: str, run: int) -> Curve:
    wanted = (history["metric"] == metric) & (history["run"] == run)
    # Count epochs from 1 in figures.
    return history["epoch"][wanted] + 1, history["value"][wanted].astype(np.float64)


def _draw(panel: Axes, curves: dict[int, Curve], best_run: int) -> None:
    for run, (epochs, values) in curves.items():
        if run != best_run:
            label = "other runs" if run == min(set(curves) - {best_run}) else None
            panel.plot(*_with_gaps(epochs, values), color=style.PALE, linewidth=1.0, label=label)
    epochs, values = curves.get(best_run, (np.array([]), np.array([])))
    panel.plot(
        *_with_gaps(epochs, values),
        color=style.BLUE,
        linewidth=2.2,
        label=f"run {best_run}" if len(curves) > 1 else None,
        # A single epoch has no line.
        marker="o" if len(epochs) == 1 else None,
    )


def _with_gaps(epochs: Integers, values: Floats) -> tuple[Integers, Floats]:
    """Insert NaN where a run stopped before the next phase, so that no line crosses the gap.

    >>> _with_gaps(np.array([1, 2, 9]), np.array([0.5, 0.4, 0.3]))[1]
    array([0.5, 0.4, nan, 0.3])
    """
    stops = np.flatnonzero(np.diff(epochs) > 1) + 1
    return np.insert(epochs, stops, epochs[stops - 1] + 1), np.insert(values, stops, np.nan)


def _scale_loss(panel: Axes, losses: dict[int, Curve]) -> None:
    """Use a logarithmic axis with plain numbers if all values are positive."""
    values = np.concatenate([values for _, values in losses.values()])
    values = values[np.isfinite(values)]
    if len(values) == 0 or values.min() <= 0:
        return
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=_subdivisions(values)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.minorticks_off()


def _subdivisions(values: Floats) -> tuple[float, ...]:
    decades = float(np.log10(values.max() / values.min()))
    if decades < 0.35:
        return tuple(np.arange(1.0, 10.0, 0.5))
    if decades < 1.0:
        return (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
    return (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)


def _mark_choice(panels: tuple[Axes, Axes], loss: Curve | None, unique: Curve | None) -> None:
    """Mark the epoch with the lowest loss before fine-tuning, which gives the selection."""
    if loss is None or unique is None or len(unique[0]) == 0 or not np.isfinite(loss[1]).any():
        return
    selecting = loss[1][: len(unique[0])]
    best = int(np.nanargmin(np.where(np.isfinite(selecting), selecting, np.inf)))
    for panel, (epochs, values) in zip(panels, (loss, unique), strict=True):
        panel.plot(
            epochs[best],
            values[best],
            linestyle="none",
            marker="o",
            markersize=7,
            markerfacecolor="white",
            markeredgecolor=style.BLUE,
            markeredgewidth=1.8,
            label="epoch of the selection",
            zorder=4,
        )


def _mark_fine_tuning(
    panels: tuple[Axes, Axes], losses: dict[int, Curve], unique: dict[int, Curve]
) -> None:
    """Draw a line at the start of fine-tuning, which records no unique percentage."""
    last = max((int(epochs.max()) for epochs, _ in losses.values() if len(epochs)), default=0)
    selected = max((int(epochs.max()) for epochs, _ in unique.values() if len(epochs)), default=0)
    if not 0 < selected < last:
        return
    for panel in panels:
        panel.axvline(selected + 0.5, color=style.ORANGE, linewidth=1.2, linestyle=(0, (4, 3)))
    panels[1].annotate(
        "fine-tuning →",
        (selected + 0.5, 0.08),
        xycoords=("data", "axes fraction"),
        xytext=(-5, 0),
        textcoords="offset points",
        ha="right",
        fontsize=style.TICK_SIZE,
        color=style.ORANGE,
    )
