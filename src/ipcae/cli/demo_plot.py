"""The plot of the demo."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from numpy.typing import NDArray

from ipcae.cli.experiment_result import Result
from ipcae.plots import plot_grid_selection, plot_reconstructions, plot_training, style
from ipcae.plots.training import has_nodes

N_IMAGES = 10


def plot_demo(result: Result, labels: NDArray[np.int64], grid: tuple[int, int]) -> Figure:
    """Plot the selected pixels, one image per class with its reconstruction, and the training.

    ``labels`` are the classes of the images, and ``grid`` their rows and columns.
    """
    experiment, selector = result.experiment, result.selector
    images, test = experiment.table.X, experiment.test
    n_selected, n_pixels = result.features.n_selected, images.shape[1]
    figure = style.new_figure(12.0, 6.6)
    (upper,), (lower,) = figure.subfigures(
        2, 1, height_ratios=(1.2, 1.0), hspace=0.05, squeeze=False
    )
    ((left, right),) = upper.subfigures(1, 2, width_ratios=(1.0, 2.6), wspace=0.03, squeeze=False)

    panel = left.subplots()
    mean = images.iloc[experiment.train].to_numpy().mean(0)
    plot_grid_selection(result.features.indices[:n_selected], grid, mean, axes=panel)
    _set_title(left, f"{n_selected} of {n_pixels} pixels are selected, by rank")

    shown = [test[labels[test] == label][0] for label in np.unique(labels)[:N_IMAGES]]
    rows = images.iloc[shown]
    reconstructed = selector.reconstruct(selector.transform(rows))
    panels = right.subplots(3, len(shown), squeeze=False)
    plot_reconstructions(rows.to_numpy(), reconstructed, selector.get_support(), grid, panels)
    for panel, name in zip(panels[:, 0], ("original", "selected", "reconstructed"), strict=True):
        panel.set_ylabel(name, fontsize=style.LABEL_SIZE, color=style.INK)
    share = f"{result.evaluation.score:.0%}"
    _set_title(right, f"Held-out digits: {share} of the variance is reconstructed")

    loss, beside = lower.subplots(1, 2)
    plot_training(selector.history_, selector.best_run_, axes=(loss, beside))
    loss.set_xlabel("epoch", fontsize=style.LABEL_SIZE, color=style.INK)
    if not has_nodes(selector.history_):
        _plot_importance(beside, result.features.importance[:n_selected])
    return figure


def _plot_importance(panel: Axes, importance: NDArray[np.float64]) -> None:
    """Draw the importance of the selected pixels, by rank."""
    ranks = np.arange(1, len(importance) + 1)
    panel.set_axis_on()
    panel.bar(ranks, importance, color=style.ORANGE, width=0.7)
    style.quiet_axes(panel, grid="y")
    panel.set_xticks(ranks)
    panel.set_xlabel("rank of the pixel", fontsize=style.LABEL_SIZE, color=style.INK)
    panel.set_ylabel("importance", fontsize=style.LABEL_SIZE, color=style.INK)
    style.set_title(panel, "Held-out digits: rise of the loss when a pixel is shuffled")


def _set_title(part: SubFigure, sentence: str) -> None:
    part.suptitle(sentence, x=0.02, ha="left", fontsize=style.TITLE_SIZE, color=style.INK)
