"""Importance and certainty of the selected features."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ipcae.feature_table import FeatureTable
from ipcae.plots import style
from ipcae.plots.style import label

MOST = 40
"""Default for the maximum number of features in a figure."""

_LABELS = {"probability": "certainty of the networks", "score": "relative to the best"}


def selection_size(ranking: FeatureTable, most: int) -> tuple[float, float]:
    """Return the width and height of the figure, in inches."""
    return 7.6, 1.2 + max(0.23 * min(ranking.n_selected, most), 0.7)


def plot_selection(
    ranking: FeatureTable, *, most: int = MOST, axes: tuple[Axes, Axes] | None = None
) -> Figure:
    """Draw the importance of the selected features, and the certainty of their selection.

    Bars show the permutation importance. Dots show the probability that the best run draws the
    feature and, with several runs, the fraction of the runs that selected it.

    Parameters
    ----------
    ranking : FeatureTable
        The features of a fitted selector, from :meth:`FeatureTable.of`.
    most : int, default=40
        Draw at most ``most`` features.
    axes : two Axes, optional
        Axes for importance and certainty; by default those of a new figure.

    See Also
    --------
    ipcae.plots.SelectionDisplay : Importance and probability of the features.

    Examples
    --------
    >>> ranking = FeatureTable(
    ...     names=["height", "weight"],
    ...     indices=np.array([0, 1]),
    ...     selected=np.array([True, True]),
    ...     importance=np.array([0.4, 0.1]),
    ...     importance_error=np.array([0.05, 0.05]),
    ...     probability=np.array([1.0, 0.8]),
    ...     other_seeds=np.array([1.0, 0.5]),
    ...     n_others=4,
    ... )
    >>> len(plot_selection(ranking).axes)
    2
    """
    n_shown = min(ranking.n_selected, most)
    if axes is None:
        figure = style.new_figure(*selection_size(ranking, most))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(5, 2))
    else:
        (left, right), figure = axes, style.figure_of(axes[0])
    places = np.arange(n_shown)
    _draw_importance(left, ranking, places)
    _draw_certainty(right, ranking, places)
    left.set_yticks(places, [label(name) for name in ranking.names[:n_shown]])
    left.set_ylim(n_shown - 0.4, -0.6)
    count = f"{ranking.n_selected} of {len(ranking.names)} features are selected"
    if n_shown < ranking.n_selected:
        # On a separate line, to leave space for the legend.
        count += f"\n(first {n_shown} shown)"
    style.set_title(left, count)
    return figure


def _draw_importance(panel: Axes, ranking: FeatureTable, places: np.ndarray) -> None:
    style.quiet_axes(panel, grid="x")
    shown = slice(len(places))
    panel.barh(
        places,
        ranking.importance[shown],
        height=0.68,
        color=style.BLUE,
        xerr=None if np.isnan(ranking.importance_error).all() else ranking.importance_error[shown],
        ecolor=style.INK,
        error_kw={"elinewidth": 1.0},
    )
    panel.tick_params(axis="y", length=0)
    style.label_axes(panel, "importance: loss increase when shuffled")


def _draw_certainty(panel: Axes, ranking: FeatureTable, places: np.ndarray) -> None:
    style.quiet_axes(panel, grid="x")
    panel.tick_params(axis="y", length=0, labelleft=False)
    panel.hlines(places, 0, 1, color=style.PALE, linewidth=0.6, alpha=0.5)
    if ranking.n_others:
        panel.scatter(
            ranking.other_seeds[: len(places)],
            places,
            marker="D",
            s=26,
            facecolors="none",
            edgecolors=style.ORANGE,
            linewidths=1.4,
            label=f"fraction of {ranking.n_others} other seeds",
            clip_on=False,
            zorder=3,
        )
    panel.scatter(
        ranking.probability[: len(places)],
        places,
        s=16,
        color=style.GREEN,
        label=ranking.measure,
        clip_on=False,
        zorder=4,
    )
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    style.label_axes(panel, _LABELS[ranking.measure])
    panel.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        fontsize=style.TICK_SIZE,
        frameon=False,
        labelcolor=style.INK,
        ncols=1,
        borderaxespad=0.2,
    )
