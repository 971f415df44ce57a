"""Columns with the same information: copies, and multiples such as one length in two units."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats

# Standardized columns whose distance is smaller than this are copies: |correlation| > 1 − 5e-11.
_TOLERANCE = 1e-5
_STEP = 1e-4  # of the projections, by which columns that may be copies are found
_N_PROJECTIONS = 3
_N_ROWS, _MOST_VALUES = 200, 2**23


def copies(inputs: Tensor) -> list[list[int]]:
    """Return the groups of columns that are equal up to a factor and a constant.

    Missing values must be in the same rows. Constant columns are in no group.

    Shape: inputs (N, D), NaN for missing values.

    >>> copies(torch.tensor([[1.0, 5.0, 32.0, 0.0], [2.0, 4.0, 50.0, 0.0], [4.0, 9.0, 86.0, 0.0]]))
    [[0, 2]]
    """
    # Most columns differ in a few rows already.
    sample = inputs[:: max(len(inputs) // _N_ROWS, 1)]
    projections = _projections(sample)
    undecided = np.isnan(projections).any(1)
    if len(sample) < len(inputs) and undecided.any():
        projections[undecided] = _projections(inputs[:, torch.from_numpy(undecided)])
    known = np.flatnonzero(np.isfinite(projections).all(1))
    # One number per column: sorting a million numbers is much faster than comparing rows of them.
    factors = np.random.default_rng(1).integers(2**62, size=projections.shape[1])
    _, places, counts = np.unique(
        projections[known].astype(np.int64) @ factors, return_inverse=True, return_counts=True
    )
    alike = defaultdict(list)
    for column in np.flatnonzero(counts[places] > 1).tolist():
        alike[places[column]].append(int(known[column]))
    found = [group for columns in alike.values() for group in _equal(inputs, columns)]
    return sorted(found)


def _projections(inputs: Tensor) -> Floats:
    """Return rounded projections of the standardized columns, NaN if one is constant.

    Shape: (N, D) -> (D, projections).
    """
    directions = np.random.default_rng(0).standard_normal((_N_PROJECTIONS, len(inputs)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    on = torch.from_numpy(directions).to(inputs.device)
    parts = []
    for block in inputs.split(max(_MOST_VALUES // len(inputs), 1), dim=1):
        standardized, gaps = _standardized(block)
        # A column and its negative have the same projections; gaps have their own.
        parts.append(torch.cat([(on @ standardized).abs(), on[:1] @ gaps.double()]).T)
    return (torch.cat(parts) / _STEP).round().cpu().numpy()


def _standardized(columns: Tensor) -> tuple[Tensor, Tensor]:
    """Return columns of mean 0 and norm 1, with 0 for missing values, and which are missing.

    A constant column is NaN.
    """
    values = columns.double()
    gaps = values.isnan()
    values = values / values.abs().nan_to_num(0.0).amax(0)  # squares must not overflow
    constant = values.nan_to_num(torch.inf).amin(0) == values.nan_to_num(-torch.inf).amax(0)
    centered = torch.where(gaps, 0.0, values - values.nanmean(0))
    norm = torch.where(constant, torch.nan, centered.norm(dim=0))
    return centered / norm, gaps


def _equal(inputs: Tensor, columns: list[int]) -> list[list[int]]:
    """Divide columns with equal projections into groups of copies."""
    groups = []
    while len(columns) > 1:
        standardized, gaps = _standardized(inputs[:, columns])
        first = standardized[:, :1]
        sign = (first * standardized).sum(0).sign()
        near = (standardized * sign - first).norm(dim=0) < _TOLERANCE
        same = (near & (gaps == gaps[:, :1]).all(0)).tolist()
        same[0] = True
        if sum(same) > 1:
            groups.append(
                [column for column, is_same in zip(columns, same, strict=True) if is_same]
            )
        columns = [column for column, is_same in zip(columns, same, strict=True) if not is_same]
    return groups
