"""Features on a grid: images as small PNG files inside the page."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ipcae.grids import Grid
from ipcae.report.markup import Html, escape


def png_uri(image: NDArray[np.float64], low: float, high: float) -> str:
    """Return a gray image as a data URI: ``low`` is white, ``high`` black; NaN is see-through.

    >>> png_uri(np.zeros((2, 2)), 0, 1).startswith("data:image/png;base64,")
    True
    """
    share = (image - low) / ((high - low) or 1.0)
    gray = (255 * (1 - np.clip(np.nan_to_num(share), 0, 1))).astype(np.uint8)
    alpha = np.where(np.isnan(image), 0, 255).astype(np.uint8)
    # Every line begins with its filter: none.
    lines = b"".join(b"\0" + line.tobytes() for line in np.stack([gray, alpha], -1))
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 4, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def image(values: NDArray[np.float64], grid: Grid, low: float, high: float, alt: str) -> Html:
    """Return values of shape (D,) as an image element."""
    uri = png_uri(values.reshape(grid), low, high)
    return Html(f'<img class="pixels" src="{uri}" alt="{escape(alt)}">')


def draw_selection(
    indices: Sequence[int], names: Sequence[str], grid: Grid, background: NDArray[np.float64]
) -> Html:
    """Return the selected features on the grid, numbered by rank where there is room."""
    rows, columns = grid
    low, high = float(background.min()), float(background.max())
    # The image stays in the background: its darkest pixel is gray.
    uri = png_uri(background.reshape(grid), low, high + 0.8 * (high - low))
    cells = []
    for rank, (index, name) in enumerate(zip(indices, names, strict=True), start=1):
        row, column = divmod(index, columns)
        cells.append(
            f"<g><title>{escape(f'{rank}. {name}, row {row}, column {column}')}</title>"
            f'<rect x="{column + 0.04}" y="{row + 0.04}" width=".92" height=".92" rx=".08"/>'
        )
        if max(grid) <= 16:
            cells.append(f'<text x="{column + 0.5}" y="{row + 0.68}">{rank}</text>')
        cells.append("</g>")
    label = f"{len(indices)} selected features on a grid of {rows} by {columns}"
    return Html(
        f'<svg class="grid-map" viewBox="0 0 {columns} {rows}" role="img" aria-label="{label}">'
        f'<image href="{uri}" width="{columns}" height="{rows}" preserveAspectRatio="none"/>'
        f"{''.join(cells)}</svg>"
    )
