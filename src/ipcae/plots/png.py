"""Rendering of figures to PNG."""

from __future__ import annotations

import io
import warnings

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


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
