"""Rows that the report measures on or learns from, in the selector's own terms."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.estimators import inputs
from ipcae.report.task import CLASSES, COLUMNS, task_of
from ipcae.training import Rows


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows in their own units, and their targets: class numbers, zeros and ones, or numbers.

    Shape: rows (N, D); targets (N,) or (N, O); for a reconstruction the rows themselves.
    """

    rows: Tensor
    targets: Tensor
    n_unknown: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: Tensor) -> Sample:
        """Return some of the rows."""
        rows = self.rows[which]
        targets = rows if self.targets is self.rows else self.targets[which]
        return Sample(rows, targets, self.n_unknown)

    def at_most(self, n_rows: int, seed: int = 0) -> Sample:
        """Return so many rows, drawn at random, or all."""
        return self if len(self) <= n_rows else self.take(shuffled(len(self), seed)[:n_rows])

    def scaled(self, selector: Any) -> Rows:
        """Return the rows and targets as the decoder sees them."""
        table: Rows = selector._scaled(Rows(self.rows, self.targets))
        return table

    def fingerprint(self) -> str:
        """Return the SHA-256 of the values, as float64 row after row."""
        digest = hashlib.sha256()
        for part in self.rows.split(4096):
            digest.update(part.double().numpy().tobytes())
        return digest.hexdigest()


def shuffled(n_rows: int, seed: int) -> Tensor:
    """Return the numbers of the rows in a random order."""
    return torch.from_numpy(np.random.default_rng(seed).permutation(n_rows))


def read_sample(selector: Any, X: Any, y: Any) -> Sample:
    """Check X and y as the selector's ``predict`` would; rows of unknown classes are left out."""
    rows = inputs.read_rows(selector, X, reset=False).cpu()
    task = task_of(selector)
    if task is COLUMNS:
        return Sample(rows, rows)
    if task is not CLASSES or y is None:
        return Sample(rows, selector._read_targets(rows, y, reset=False))
    labels = y.detach().cpu().numpy() if isinstance(y, Tensor) else np.asarray(y)
    inputs.require_same_length(rows, labels)
    labels = labels.reshape(len(labels), -1)[:, 0]
    known = np.isin(labels, selector.classes_)
    if not known.all():
        rows = rows[torch.from_numpy(known)]
    targets = np.searchsorted(selector.classes_, labels[known])
    return Sample(rows, torch.from_numpy(targets), int((~known).sum()))
