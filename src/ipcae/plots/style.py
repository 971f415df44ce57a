"""What all figures have in common: colors, axes, labels of features, and rendering to PNG."""

from __future__ import annotations

import io
import warnings
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ipcae.text import printable, shortened

# The palette of Okabe and Ito, which is safe for color-blind readers.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
INK, PALE = "#333333", "#B8BCC2"

TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 11.0, 9.5, 8.5


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure with a constrained layout; the size is in inches."""
    return Figure(figsize=(width, height), layout=new_layout(), facecolor="white")


def new_layout() -> ConstrainedLayoutEngine:
    """Return the layout engine of a figure."""
    return ConstrainedLayoutEngine(rect=(0.01, 0.01, 0.98, 0.98))


def quiet_axes(axes: Axes, *, grid: Literal["x", "y"] | None = None) -> None:
    """Hide the top and right spines and mute the others; ``grid`` is "x", "y" or None."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PALE)
    axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3, color=PALE)
    if grid is not None:
        axes.grid(axis=grid, color=PALE, alpha=0.5, linewidth=0.6)
    axes.set_axisbelow(True)


def label_axes(axes: Axes, x: str = "", y: str = "") -> None:
    """Label the horizontal and the vertical axis, if there is a text."""
    if x:
        axes.set_xlabel(x, fontsize=LABEL_SIZE, color=INK)
    if y:
        axes.set_ylabel(y, fontsize=LABEL_SIZE, color=INK)


def set_title(axes: Axes, sentence: str) -> None:
    """Set a left-aligned title."""
    axes.set_title(sentence, loc="left", fontsize=TITLE_SIZE, color=INK, wrap=True)


def figure_of(axes: Axes) -> Figure:
    """Return the figure of the axes."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def label(name: str, most: int = 32) -> str:
    r"""Return a name as a label, shortened in the middle if it is long.

    Dollar signs are escaped, because Matplotlib interprets text between them as math.

    >>> print(label("spend_$_per_$_earned"))
    spend_\$_per_\$_earned
    >>> label("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    return shortened(printable(name), most).replace("$", r"\$")


def png_bytes(figure: Figure, dpi: int = 150) -> bytes:
    """Render a figure to PNG without a display.

    >>> png_bytes(Figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    content = io.BytesIO()
    # Omit the version of matplotlib, so that equal figures give equal bytes.
    metadata = {"Software": ""}
    with warnings.catch_warnings():
        # A box is drawn instead of such a character; there is nothing to do about it.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        FigureCanvasAgg(figure).print_figure(content, format="png", dpi=dpi, metadata=metadata)
    return content.getvalue()
