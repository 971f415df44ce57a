"""Selected pixels and reconstructions of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.plots import style

# The color of pixels that are not selected.
_BLANK = "#F1E3D6"


def plot_grid_selection(
    indices: Sequence[int] | Integers,
    grid: tuple[int, int],
    background: NDArray[Any],
    *,
    order: Any = "C",
    axes: Axes | None = None,
) -> Figure:
    """Draw the selected pixels on an image, numbered by rank on small grids.

    Parameters
    ----------
    indices : sequence of int
        The selected features, best first.
    grid : tuple of int
        Rows and columns of the image.
    background : array of shape (D,)
        The image to draw them on, such as the mean image.
    order : {"C", "F"}, default="C"
        Whether the pixels are in row-major or column-major order.
    axes : Axes, optional
        Axes to draw on; by default those of a new figure.

    See Also
    --------
    ipcae.plots.plot_reconstructions : Images and their reconstructions.
    ipcae.plots.SelectionDisplay : Importance and probability of the features.

    Examples
    --------
    >>> len(plot_grid_selection([0, 5], (2, 3), np.arange(6.0)).axes[0].patches)
    2
    """
    figure = style.new_figure(4.6, 4.8) if axes is None else style.figure_of(axes)
    panel = figure.subplots() if axes is None else axes
    image = np.asarray(background).reshape(grid, order=order)
    # Use a lighter range of grays for the background.
    _show(panel, image, (float(image.min()), float(image.max() + 0.5 * np.ptp(image))))
    for rank, index in enumerate(indices, start=1):
        row, column = np.unravel_index(int(index), grid, order=order)
        corner = float(column) - 0.5, float(row) - 0.5
        panel.add_patch(
            Rectangle(
                corner, 1, 1, facecolor=style.ORANGE, alpha=0.85, edgecolor="white", linewidth=1.2
            )
        )
        if max(grid) <= 12:
            panel.text(
                float(column),
                float(row),
                str(rank),
                ha="center",
                va="center",
                fontsize=style.TICK_SIZE,
                color="white",
                fontweight="bold",
            )
    return figure


def plot_reconstructions(
    originals: NDArray[Any],
    reconstructions: NDArray[Any],
    chosen: Booleans,
    grid: tuple[int, int],
    axes: NDArray[Any],
    *,
    order: Any = "C",
) -> None:
    """Draw originals, selected pixels and reconstructions of images in three rows.

    Parameters
    ----------
    originals, reconstructions : array of shape (N, D)
        Images, one per row.
    chosen : bool array of shape (D,)
        Whether a pixel is selected.
    grid : tuple of int
        Rows and columns of an image.
    axes : array of Axes of shape (3, N)
        Where to draw.
    order : {"C", "F"}, default="C"
        Whether the pixels are stored by row ("C") or by column ("F").

    See Also
    --------
    ipcae.plots.plot_grid_selection : The selection on an image.
    ipcae.plots.ReconstructionDisplay : Originals and reconstructions.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> images = np.eye(4)
    >>> axes = Figure().subplots(3, 4)
    >>> plot_reconstructions(images, images, np.array([True, False, False, True]), (2, 2), axes)
    >>> sum(len(panel.images) for panel in axes.flat)
    12
    """
    limits = float(originals.min()), float(originals.max())
    for column, images in enumerate(zip(originals, reconstructions, strict=True)):
        original, reconstruction = images
        selected = np.where(chosen, original, np.nan)
        for row, values in enumerate((original, selected, reconstruction)):
            _show(axes[row, column], values.reshape(grid, order=order), limits)


def plot_montage(
    panel: Axes,
    originals: NDArray[Any],
    reconstructions: NDArray[Any],
    chosen: Booleans,
    grid: tuple[int, int],
) -> None:
    """Draw the images of :func:`plot_reconstructions` on one Axes. Shape: originals (N, D)."""
    limits = float(originals.min()), float(originals.max())
    gap = 0.12
    high = grid[0] / grid[1]
    rows = (originals, np.where(chosen, originals, np.nan), reconstructions)
    for row, images in enumerate(rows):
        for column, image in enumerate(images):
            left, top = column * (1 + gap), row * (high + gap)
            panel.add_patch(
                Rectangle((left, top), 1, high, facecolor=_BLANK, edgecolor=style.PALE, zorder=-1)
            )
            panel.imshow(
                image.reshape(grid),
                cmap="gray_r",
                vmin=limits[0],
                vmax=limits[1],
                interpolation="nearest",
                extent=(left, left + 1, top + high, top),
            )
    panel.set_xlim(-0.03, len(originals) * (1 + gap) - gap + 0.03)
    panel.set_ylim(3 * (high + gap) - gap + 0.03, -0.03)
    panel.set_aspect("equal")
    panel.set_xticks([])
    centers = [row * (high + gap) + high / 2 for row in range(3)]
    labels = ["original", "selected", "reconstructed"]
    panel.set_yticks(centers, labels, fontsize=style.LABEL_SIZE)
    panel.tick_params(length=0, labelcolor=style.INK)
    for spine in panel.spines.values():
        spine.set_visible(False)


def _show(panel: Axes, image: Floats, limits: tuple[float, float]) -> None:
    panel.set_facecolor(_BLANK)
    panel.imshow(image, cmap="gray_r", vmin=limits[0], vmax=limits[1], interpolation="nearest")
    panel.set_xticks([])
    panel.set_yticks([])
    for spine in panel.spines.values():
        spine.set_color(style.PALE)
        spine.set_linewidth(0.6)
