"""Check sample weights and groups of rows, and that there is one per row."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, _num_samples
from torch import Tensor

from ipcae.errors import InputError, as_input_error
from ipcae.tables.encodings.cells import is_missing
from ipcae.tables.frames import warn_of_other_order
from ipcae.tables.tensors import as_array, count_rows


def read_weights(sample_weight: Any, rows: Tensor) -> Tensor | None:
    """Check sample weights and return them as a float32 tensor of shape (N,)."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        raise InputError(
            f"sample_weight is the text {sample_weight!r}: expected one number per row. Classes "
            "are weighted by the parameter class_weight."
        )
    sample_weight = as_array(sample_weight, "sample_weight")
    if not np.isscalar(sample_weight) and hasattr(sample_weight, "__len__"):
        require_same_length(rows, sample_weight, "sample_weight")
    with as_input_error(), np.errstate(over="ignore"):
        weights = _check_sample_weight(sample_weight, np.empty((len(rows), 1)), dtype=np.float32)
    if (weights < 0).any() or not (weights > 0).any():
        raise InputError(
            "sample_weight must not be negative, and at least one weight must be positive."
        )
    return torch.from_numpy(weights).to(rows.device)


def read_groups(groups: Any, X: Any) -> NDArray[Any] | None:
    """Return the group of every row of a table; None stays None. Shape: -> (N,)."""
    if groups is None:
        return None
    warn_of_other_order(X, groups, "groups")
    groups, n_rows = np.asarray(as_array(groups)), count_rows(X)
    if groups.shape != (n_rows,):
        raise InputError(
            f"groups has shape {groups.shape} for {n_rows} rows: expected one group per row."
        )
    if groups.dtype.kind in "fO" and (n_missing := sum(map(is_missing, groups))):
        raise InputError(
            f"groups has no value for {n_missing} of {n_rows} rows: expected one group per row. "
            "Leave these rows out, or give each of them a group of its own."
        )
    return groups


def require_same_length(X: Tensor, y: Any, name: str) -> None:
    """Raise an error if the number of targets differs from the number of rows."""
    with as_input_error():
        n_targets = _num_samples(y)
    if n_targets != len(X):
        raise InputError(
            f"{'X_val' if name == 'y_val' else 'X'} has {len(X)} rows and {name} has "
            f"{n_targets}: inconsistent numbers of samples, expected one value per row."
        )
