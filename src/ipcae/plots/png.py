"""Rendering of figures to PNG."""

from __future__ import annotations

import io

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
    FigureCanvasAgg(figure).print_figure(content, format="png", dpi=dpi, metadata=metadata)
    return content.getvalue()
