"""Images as PNG data URIs."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from ipcae.arrays import Floats


def png_uri(image: Floats, low: float, high: float) -> str:
    """Return a gray image as a data URI: ``low`` is white, ``high`` black; NaN is transparent.

    >>> png_uri(np.zeros((2, 2)), 0, 1).startswith("data:image/png;base64,")
    True
    """
    share = (image - low) / ((high - low) or 1.0)
    gray = (255 * (1 - np.clip(np.nan_to_num(share), 0, 1))).astype(np.uint8)
    alpha = np.where(np.isnan(image), 0, 255).astype(np.uint8)
    # Every line starts with its filter type, 0 for none.
    lines = b"".join(b"\0" + line.tobytes() for line in np.stack([gray, alpha], -1))
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 4, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
