"""An animation of the distributions of the nodes during training."""

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

from ipcae.arrays import Floats, Integers
from ipcae.callbacks import SelectionRecorder
from ipcae.filesystem.atomic import write_whole
from ipcae.grids import Grid, check_grid
from ipcae.plots import style
from ipcae.plots.style import label

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
    """Write the recorded distributions to an animated GIF, and return its path.

    Parameters
    ----------
    recorder : SelectionRecorder
        A recorder that was passed to a selector as a callback.
    path : str or Path
        The file to write.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels are the features. Frames then show the
        probability that any node selects a pixel. Without a grid, they are heat maps of nodes and
        features.
    names : sequence of str, optional
        Names of the D features, for heat maps.
    most : int, default=40
        Draw at most ``most`` nodes, and the ``most`` features with the highest probabilities, in
        heat maps.
    frames_per_second : float, default=10.0
        Speed.
    dpi : float, default=100
        Resolution.

    See Also
    --------
    ipcae.callbacks.SelectionRecorder : Record the distributions of the nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.callbacks import SelectionRecorder
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> recorder = SelectionRecorder(n_frames=4)
    >>> settings = {"method": "ip-cae", "max_epochs": 8, "random_state": 0}
    >>> selector = ReconstructionSelector(2, callbacks=recorder, **settings).fit(X)
    >>> selection_timelapse(recorder, "selection.gif")  # doctest: +SKIP
    PosixPath('selection.gif')
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
    """The probability of every pixel that any node selects it."""

    label = "probability that any node selects the pixel"
    bar_share = 0.8
    aspect = "equal"

    def __init__(self, grid: Grid):
        self.grid = grid
        self.size = 4.6, 4.6 * grid[0] / grid[1] * 0.86 + 1.0

    def values(self, distributions: Floats) -> Floats:
        """Shape: (K, D) -> grid."""
        probability: Floats = 1 - np.prod(1 - distributions, axis=0)
        return probability.reshape(self.grid)

    def label_axes(self, panel: Axes, n_nodes: int) -> None:
        """Remove the ticks."""
        panel.set_xticks([])
        panel.set_yticks([])


class _NodesPicture:
    """A heat map of nodes (rows) and features (columns)."""

    label = "probability that the node selects the feature"
    bar_share = 0.45
    aspect = "auto"

    def __init__(self, nodes: Integers, features: Integers, names: Sequence[str]):
        self.nodes, self.features = nodes, features
        self.names = [label(names[i], 22) for i in features]
        self.size = 2.4 + 0.21 * len(features), 2.4 + 0.19 * len(nodes)

    def values(self, distributions: Floats) -> Floats:
        """Shape: (K, D) -> (nodes, features) that are shown."""
        return distributions[np.ix_(self.nodes, self.features)]

    def label_axes(self, panel: Axes, n_nodes: int) -> None:
        """Label the features, and show the number of nodes."""
        panel.set_xticks(
            range(len(self.names)), self.names, rotation=90, fontsize=style.TICK_SIZE - 1
        )
        panel.set_yticks([])
        cut = f"the first {len(self.nodes)} of " if len(self.nodes) < n_nodes else ""
        style.label_axes(panel, y=f"{cut}{n_nodes} nodes")


def _layout_of(frames: Floats, most: int) -> tuple[Integers, Integers]:
    """Return the nodes and features to show.

    Nodes are ordered by their final feature. Final features come first, so that the last frame is
    diagonal, followed by the features with the highest probability at any time.
    """
    last = frames[-1]
    choice = last.argmax(-1)
    nodes = np.lexsort((-last.max(-1), choice))[:most]
    chosen = np.unique(choice[nodes])
    others = np.setdiff1d(np.argsort(-frames.max((0, 1)), kind="stable")[:most], chosen)
    return nodes, np.concatenate([chosen, others])[:most]


def _rendered(
    picture: _GridPicture | _NodesPicture, frames: Floats, epochs: Sequence[int], dpi: int
) -> list[Any]:
    """Render all frames with one figure and the layout of the first frame."""
    from PIL import Image

    figure = style.new_figure(*picture.size)
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    panel = figure.subplots()
    norm = PowerNorm(0.5, 0, 1)  # probabilities are small at first
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
            f"epoch {epoch + 1} of {epochs[-1] + 1}\n{len(choices)} nodes select "
            f"{len(np.unique(choices))} distinct features",
        )
        canvas.draw()
        figure.set_layout_engine("none")
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
        image = Image.fromarray(np.ascontiguousarray(pixels))
        images.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    return images


def _palette() -> list[int]:
    """Return the 256 colors of all frames: those of the color map, and grays for text."""
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
