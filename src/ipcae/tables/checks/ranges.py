"""Warn about values far outside the range seen in ``fit``, with the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.errors import warn
from ipcae.tables.checks.missing_codes import CODES
from ipcae.text import count, listed


def warn_of_far_values(values: Tensor, low: Tensor, high: Tensor, names: Sequence[str]) -> None:
    """Warn if values are further from the range of their column than the range is wide.

    Shape: values (N, K); low and high (K,), the smallest and largest value of every column in fit.
    """
    if not len(values):
        return
    values = torch.where(values.isnan(), low, values.double())
    # The values of a constant column may have been rounded.
    width = torch.maximum(high - low, 1e-6 * high.abs())
    lowest, highest = low - width, high + width
    smallest, largest = values.amin(0), values.amax(0)
    columns = ((smallest < lowest) | (largest > highest)).nonzero().flatten().tolist()
    if not columns:
        return
    labels, codes = {}, set()
    for c in columns:
        below = lowest[c] - smallest[c] > largest[c] - highest[c]
        worst = (smallest[c] if below else largest[c]).item()
        codes |= {worst} & CODES
        labels[names[c]] = f"{names[c]}: {worst:g}, seen {low[c].item():g} to {high[c]:g}"
    n_rows = int(((values < lowest) | (values > highest)).any(1).sum())
    or_code = f", and whether {listed([f'{code:g}' for code in codes])} stands for missing values"
    warn(
        "X has values far outside of the range seen in fit "
        f"({listed(list(labels.values()))}): the predictions for {count(n_rows, 'row')} are "
        f"extrapolations, so check the units of these columns{or_code if codes else ''}."
    )
