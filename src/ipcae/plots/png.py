"""A figure as the content of a PNG file."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def png_bytes(figure: Figure, dpi: int = 150) -> bytes:
    """Draw the figure without a display.

    >>> png_bytes(Figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    content = io.BytesIO()
    # The version of matplotlib is left out: the same figure gives the same bytes.
    metadata = {"Software": ""}
    FigureCanvasAgg(figure).print_figure(content, format="png", dpi=dpi, metadata=metadata)
    return content.getvalue()
