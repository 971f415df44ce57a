"""How many rows rankings see: a sample of those that do not fit into memory, or that are many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ipcae.arrays import sample_of
from ipcae.errors import warn
from ipcae.rows import Rows
from ipcae.sources import StreamedRows
from ipcae.training import Problem

SAMPLE_BYTES = 2**31
"""The memory of a ranking of a table that is read in parts."""

SHORT_BYTES = SAMPLE_BYTES // 4
"""The memory of the ranking of candidates, while a joint method reads all rows."""

FEWEST_SAMPLED = 1000

MOST_RANKED = 100_000
"""The most training rows that a ranking of candidates sees, for the sake of memory."""


def sampled(rows: StreamedRows, copies: float) -> Rows:
    """Return rows of a table that is read in parts, as many as a ranking has memory for.

    The sample is random, but the same in every fit; a warning gives its size.
    """
    n_rows, most = len(rows), _rows_in(SAMPLE_BYTES, rows, copies)
    if n_rows <= most:
        return rows.take(slice(None))
    warn(
        f"The features are ranked by a random sample of {most:,} of {n_rows:,} rows: X is read in "
        "parts, and a ranking needs its rows in memory."
    )
    return rows.take(torch.from_numpy(sample_of(np.arange(n_rows), most, seed=0)))


def _rows_in(n_bytes: int, rows: StreamedRows, copies: float) -> int:
    """Return how many rows a ranking can hold in memory, together with this many copies."""
    return max(int(n_bytes / ((12 + 8 * copies) * rows.source.shape[1])), FEWEST_SAMPLED)


def with_fewer_rows(problem: Problem, copies: float) -> Problem:
    """Return the problem with at most 100,000 training rows, equally spaced, in memory.

    A table that is read in parts has fewer if it has many columns.
    """
    rows, n_rows = problem.rows, len(problem.rows)
    most = MOST_RANKED
    if isinstance(rows, StreamedRows):
        most = min(most, _rows_in(SHORT_BYTES, rows, copies))
    elif n_rows <= most:
        return problem
    index = torch.linspace(0, n_rows - 1, min(n_rows, most), dtype=torch.float64).long()
    return replace(problem, rows=rows.take(index.to(rows.inputs.device)))
