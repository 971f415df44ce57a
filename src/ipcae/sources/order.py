"""The order of the rows of an epoch, shuffled within windows."""

from __future__ import annotations

import torch
from torch import Tensor


def windowed_order(starts: Tensor, window: int, chunk_keys: Tensor, row_keys: Tensor) -> Tensor:
    """Return a permutation of the rows that reads few chunks at a time.

    The chunks that begin at ``starts`` are put in the order of their keys, the result is cut into
    windows, and the rows of a window are sorted by their keys. With random keys, a window consists
    of rows of several random chunks, in random order. A window of all rows is a full shuffle, in
    the order of ``row_keys``.

    >>> keys = torch.tensor([0.3, 0.1, 0.2, 0.9, 0.8, 0.7])
    >>> windowed_order(torch.tensor([0, 2, 4]), 2, torch.tensor([0.5, 0.1, 0.9]), keys)
    tensor([2, 3, 1, 0, 5, 4])
    >>> windowed_order(torch.tensor([0, 2, 4]), 6, torch.tensor([0.5, 0.1, 0.9]), keys)
    tensor([1, 2, 0, 5, 4, 3])
    """
    n_rows = len(row_keys)
    by_key = row_keys.argsort(stable=True)
    if window >= n_rows:
        return by_key
    lengths = torch.diff(starts, append=starts.new_tensor([n_rows]))
    # From the chunks in the order of the file to those in the order of their keys.
    order = chunk_keys.argsort(stable=True)
    shifts = torch.empty_like(starts)
    shifts[order] = lengths[order].cumsum(0) - lengths[order]
    places = torch.repeat_interleave(shifts - starts, lengths, output_size=n_rows)
    windows = (places + torch.arange(n_rows, device=places.device)) // window
    return by_key[windows[by_key].argsort(stable=True)]
