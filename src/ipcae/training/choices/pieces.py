"""Piecewise linear functions of columns, for decoders of thresholds, waves and heavy tails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats

PIECES = 6, 16
"""Numbers of pieces to choose from."""

N_STEPS = max(PIECES)
MOST_FUNCTIONS = 500
"""Columns and their steps; more take long to fit."""

_SHORTEST = 1e-5  # a shorter piece would be steeper than float32 can resolve


class Pieces(NamedTuple):
    """Steps of every column, clip(slope x + shift, -1, 1), each between two of its quantiles.

    Steps that are not needed are zero. Shape: slope, shift (K, steps).
    """

    slope: Floats
    shift: Floats

    @classmethod
    def placed(cls, inputs: Floats, n_pieces: int, n_steps: int = N_STEPS) -> Pieces:
        """Divide every column into pieces with equally many rows; a column of two values has none.

        >>> pieces = Pieces.placed(np.arange(9.0)[:, None], n_pieces=2, n_steps=3)
        >>> pieces.steps(np.array([[0.0], [2.0], [4.0], [8.0]]))
        array([[-1., -1.,  0.],
               [ 0., -1.,  0.],
               [ 1., -1.,  0.],
               [ 1.,  1.,  0.]])
        """
        slope, shift = np.zeros((2, inputs.shape[1], n_steps))
        for column, values in enumerate(inputs.T):
            places = np.linspace(0, 1, n_pieces + 1)
            edges = np.unique(np.quantile(values, places, method="nearest"))
            long = np.diff(edges) > _SHORTEST
            start, end = edges[:-1][long], edges[1:][long]
            if len(start) > 1:
                slope[column, : len(start)] = 2 / (end - start)
                shift[column, : len(start)] = -(start + end) / (end - start)
        return cls(slope, shift)

    def steps(self, inputs: Floats) -> Floats:
        """Return the steps of all columns. Shape: (N, K) -> (N, K * steps)."""
        values = (inputs[:, :, None] * self.slope + self.shift).clip(-1, 1)
        return np.asarray(values.reshape(len(inputs), -1))


def affordable_pieces(n_columns: int) -> list[int]:
    """Return the numbers of pieces that so many columns may have.

    >>> affordable_pieces(5), affordable_pieces(50), affordable_pieces(500)
    ([6, 16], [6], [])
    """
    return [each for each in PIECES if n_columns * (1 + each) <= MOST_FUNCTIONS]


def stacked_pieces(
    pieces: Sequence[Pieces | None], n_inputs: int, device: torch.device
) -> dict[str, Tensor]:
    """Return the buffers of decoders that read the steps. Shape: (R, n_inputs, steps)."""
    stacked = np.zeros((2, len(pieces), n_inputs, N_STEPS))
    for run, each in enumerate(pieces):
        if each is not None:
            stacked[:, run, : len(each.slope)] = each
    slope, shift = torch.from_numpy(stacked).float().to(device)
    return {"decoder.buffer:slope": slope, "decoder.buffer:shift": shift}
