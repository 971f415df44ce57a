"""Sources that are views of other sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ipcae.sources.base import Source


class View(Source):
    """A part of a source, read through it."""

    def __init__(self, source: Source, shape: tuple[int, int], names: Sequence[str] | None):
        self.source = source
        dtype = np.float32 if source.dtype == torch.float32 else np.float64
        super().__init__(shape, dtype, names)
        self.window_bytes = source.window_bytes
        self.in_memory = source.in_memory  # type: ignore[misc]
        self.any_row = source.any_row  # type: ignore[misc]

    def __str__(self) -> str:
        return str(self.source)
