"""Rows to evaluate a selector on, or to train decoders on for comparison."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import sample_of
from ipcae.rows import Rows
from ipcae.sources import Source
from ipcae.tables import read_groups, read_rows, refuse_overflow
from ipcae.tables.tensors import as_array

SAMPLE_BYTES = 2**26
"""The size of a sample of a table that is read in parts, unless it has fewer than 100 rows."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows in their original units, with encoded targets.

    ``n_unknown`` is the number of rows that were left out because their class is unknown.
    ``groups`` tell which rows belong together, if any do. Shape: groups (N,).
    """

    rows: Rows
    n_unknown: int = 0
    groups: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def numbers(self) -> Tensor:
        """Return the rows with missing values replaced by medians. Shape: (N, D), float64."""
        inputs = self.rows.inputs.double()
        if not bool(inputs.isnan().any()):
            return inputs
        medians = inputs.nanmedian(0).values.nan_to_num(0.0)
        return torch.where(inputs.isnan(), medians, inputs)

    def take(self, which: Tensor) -> Sample:
        """Return the rows with these indices."""
        groups = None if self.groups is None else self.groups[which.numpy()]
        return Sample(self.rows.take(which), self.n_unknown, groups)

    def at_most(self, n_rows: int) -> Sample:
        """Return at most ``n_rows`` rows, drawn at random."""
        return self if len(self) <= n_rows else self.take(shuffled(len(self), 0)[:n_rows])

    def scaled(self, selector: Any) -> Rows:
        """Return the scaled rows and targets, as used in training."""
        targets = self.rows.given_targets
        scaled = None if targets is None else selector.task_.scaled(targets)
        return Rows(selector.scaler_.apply(self.rows.inputs), scaled)

    def fingerprint(self) -> str:
        """Return the SHA-256 of the values, as float64 in row-major order."""
        digest = hashlib.sha256()
        for part in self.rows.inputs.split(4096):
            digest.update(part.double().numpy().tobytes())
        return digest.hexdigest()


def shuffled(n_rows: int, seed: int) -> Tensor:
    """Return the indices of the rows in a random order."""
    return torch.from_numpy(np.random.default_rng(seed).permutation(n_rows))


def most_rows(n_columns: int) -> int:
    """Return the number of rows of a sample of a table that is read in parts."""
    return max(SAMPLE_BYTES // (8 * n_columns), 100)


def read_sample(selector: Any, X: Any, y: Any, groups: Any = None) -> Sample:
    """Check X and y as ``score`` does, and leave out rows of unknown classes.

    ``groups`` is the group of every row, or None.

    Of a table that is read in parts, take a random sample that fits into memory.
    """
    groups = read_groups(groups, X)
    if isinstance(X, Source) and len(X) > (most := most_rows(X.shape[1])):
        rows = sample_of(np.arange(len(X)), most, seed=0)
        X, y = X.subset(rows), None if y is None else np.asarray(as_array(y))[rows]
        groups = None if groups is None else groups[rows]
    inputs, task = read_rows(selector, X).cpu(), selector.task_
    refuse_overflow(selector.scaler_, inputs, getattr(selector, "feature_names_in_", None))
    known = None if y is None or len(y) != len(inputs) else task.known(y)
    if known is None or known.all():
        return Sample(Rows(inputs, task.encode(y, inputs)), groups=groups)
    labels = np.asarray(as_array(y))
    inputs = inputs[torch.from_numpy(known)]
    groups = None if groups is None else groups[known]
    return Sample(Rows(inputs, task.encode(labels[known], inputs)), int((~known).sum()), groups)
