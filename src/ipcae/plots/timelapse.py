"""The selection as it happens: the distributions of the nodes over training, as a GIF."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from ipcae.atomic import write_whole
from ipcae.callbacks import SelectionRecorder
from ipcae.grids import Grid, check_grid
from ipcae.plots import style
from ipcae.plots.labels import label

_LAST_FRAME_SECONDS = 2.5


def selection_timelapse(
    recorder: SelectionRecorder,
    path: str | os.PathLike[str],
    *,
    grid: Grid | None = None,
    names: Sequence[str] | None = None,
    most: int = 40,
    frames_per_second: float = 10.0,
    dpi: int = 100,
) -> Path:
    """Draw the recorded distributions as an animated GIF, and return its path.

    Parameters
    ----------
    recorder : SelectionRecorder
        That was given to a fit as a callback.
    path : str or Path
        The file to write.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels the features are: every frame is that image,
        dark where some node is likely to choose. Without it, a row for every node and a column for
        every feature.
    names : sequence of str, optional
        Of the D features; used without a grid.
    most : int
        How many nodes and features to draw without a grid: those features that were likeliest.
    frames_per_second, dpi : number
        How fast and how fine.
    """
    frames = recorder.distributions.astype(np.float64)
    n_features = frames.shape[2]
    grid = check_grid(grid, n_features)
    labels = [f"x{i}" for i in range(n_features)] if names is None else [str(n) for n in names]
    picture = (
        _GridPicture(grid) if grid is not None else _NodesPicture(*_layout_of(frames, most), labels)
    )
    images = _rendered(picture, frames, recorder.epochs, dpi)
    each = round(1000 / frames_per_second)
    durations = [each] * (len(images) - 1) + [max(each, round(1000 * _LAST_FRAME_SECONDS))]
    content = io.BytesIO()
    first, *others = images
    first.save(content, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    path = Path(path)
    write_whole(path, content.getvalue())
    return path


class _GridPicture:
    """Every pixel as dark as the probability that some node chooses it."""

    label = "probability that some node chooses the pixel"
    bar_share = 0.8
    aspect = "equal"

    def __init__(self, grid: Grid):
        self.grid = grid
        self.size = 4.6, 4.6 * grid[0] / grid[1] * 0.86 + 1.0

    def values(self, distributions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shape: (K, D) -> grid."""
        probability: NDArray[np.float64] = 1 - np.prod(1 - distributions, axis=0)
        return probability.reshape(self.grid)

    def label_axes(self, panel: Axes, n_nodes: int) -> None:
        """Pixels need no numbers."""
        panel.set_xticks([])
        panel.set_yticks([])


class _NodesPicture:
    """A row for every node, a column for every feature."""

    label = "probability that the node chooses the feature"
    bar_share = 0.45
    aspect = "auto"

    def __init__(self, nodes: NDArray[np.int64], features: NDArray[np.int64], names: Sequence[str]):
        self.nodes, self.features = nodes, features
        self.names = [label(names[i], 22) for i in features]
        self.size = 2.4 + 0.21 * len(features), 2.4 + 0.19 * len(nodes)

    def values(self, distributions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shape: (K, D) -> (nodes, features), those that are drawn."""
        return distributions[np.ix_(self.nodes, self.features)]

    def label_axes(self, panel: Axes, n_nodes: int) -> None:
        """Name the features, and count the nodes."""
        panel.set_xticks(
            range(len(self.names)), self.names, rotation=90, fontsize=style.TICK_SIZE - 1
        )
        panel.set_yticks([])
        cut = f"the first {len(self.nodes)} of " if len(self.nodes) < n_nodes else ""
        panel.set_ylabel(f"{cut}{n_nodes} nodes", fontsize=style.LABEL_SIZE, color=style.INK)


def _layout_of(
    frames: NDArray[np.float64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the nodes by what they choose in the end, and find the features worth a column.

    The features that are chosen at the end come first, so that the last frame has a diagonal; then
    those that were likeliest at any time.
    """
    last = frames[-1]
    choice = last.argmax(-1)
    nodes = np.lexsort((-last.max(-1), choice))[:most]
    chosen = np.unique(choice[nodes])
    others = np.setdiff1d(np.argsort(-frames.max((0, 1)), kind="stable")[:most], chosen)
    return nodes, np.concatenate([chosen, others])[:most]


def _rendered(
    picture: _GridPicture | _NodesPicture,
    frames: NDArray[np.float64],
    epochs: Sequence[int],
    dpi: int,
) -> list[Any]:
    """Draw one figure and change it from frame to frame; its layout is that of the first."""
    from PIL import Image

    figure = style.new_figure(*picture.size)
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    panel = figure.subplots()
    norm = PowerNorm(0.5, 0, 1)  # a distribution over many features begins with small numbers
    drawn = panel.imshow(picture.values(frames[0]), cmap="Blues", norm=norm)
    panel.set_aspect(picture.aspect)  # type: ignore[arg-type]
    picture.label_axes(panel, frames.shape[1])
    panel.tick_params(length=0, labelcolor=style.INK)
    for spine in panel.spines.values():
        spine.set_color(style.PALE)
    _add_bar(figure, panel, drawn, picture)
    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette())
    images = []
    for epoch, frame in zip(epochs, frames, strict=True):
        drawn.set_data(picture.values(frame))
        choices = frame.argmax(-1)
        style.set_title(
            panel,
            f"epoch {epoch + 1} of {epochs[-1] + 1}\n{len(choices)} nodes choose "
            f"{len(np.unique(choices))} different features",
        )
        canvas.draw()
        figure.set_layout_engine("none")
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
        image = Image.fromarray(np.ascontiguousarray(pixels))
        images.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    return images


def _palette() -> list[int]:
    """Return the 256 colors of all frames: those of the map, and grays for the letters."""
    blues = colormaps["Blues"](np.linspace(0, 1, 192))[:, :3]
    grays = np.linspace((0.2, 0.2, 0.2), (1, 1, 1), 64)
    colors: list[int] = (255 * np.concatenate([blues, grays])).round().astype(int).ravel().tolist()
    return colors


def _add_bar(
    figure: Figure, panel: Axes, drawn: AxesImage, picture: _GridPicture | _NodesPicture
) -> None:
    bar = figure.colorbar(
        drawn,
        ax=panel,
        location="bottom",
        ticks=[0, 0.1, 0.5, 1],
        shrink=picture.bar_share,
        aspect=28,
        pad=0.03,
    )
    bar.set_label(picture.label, fontsize=style.TICK_SIZE, color=style.INK)
    bar.ax.tick_params(labelsize=style.TICK_SIZE, colors=style.INK, length=2)
    bar.outline.set_edgecolor(style.PALE)
