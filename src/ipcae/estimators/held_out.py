"""Rows that are set aside to choose the best epoch and the best run."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ipcae.errors import InputError
from ipcae.training import Rows


def set_aside(
    table: Rows, fraction: float | None, strata: NDArray[Any] | None, seed: int
) -> tuple[Rows, Rows]:
    """Divide the rows into training and validation, balanced by the strata where that can be.

    Without a fraction, the training rows are the validation rows too.

    >>> rows = Rows(torch.zeros(10, 3), torch.zeros(10))
    >>> [len(part) for part in set_aside(rows, 0.2, None, seed=0)]
    [8, 2]
    """
    if fraction is None:
        return table, table
    n_rows = len(table)
    n_held_out = max(round(n_rows * fraction), 1)
    if n_rows - n_held_out < 1:
        raise InputError(
            f"X has n_samples={n_rows}: too few to set {n_held_out} aside for validation. "
            "Give more rows, or validation_fraction=None to validate on the training rows."
        )
    if strata is not None:
        counts = np.unique(strata, return_counts=True)[1]
        if counts.min() < 2 or min(n_held_out, n_rows - n_held_out) < len(counts):
            strata = None
    parts = train_test_split(
        np.arange(n_rows), test_size=n_held_out, random_state=seed, stratify=strata
    )
    train, held_out = (torch.as_tensor(part, device=table.inputs.device) for part in parts)
    return table.take(train), table.take(held_out)
