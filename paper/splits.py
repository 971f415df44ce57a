"""Training, validation and test rows of a data set."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paper.protocol import DATASETS

SINGLE_CELLS = "worm_neuron"
"""A single-cell data set, not in the paper, on which the benchmarks check the defaults."""


class Rows(NamedTuple):
    """A data set in three parts."""

    X_train: NDArray[np.float32]
    y_train: NDArray[np.int64]
    X_val: NDArray[np.float32]
    y_val: NDArray[np.int64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


@lru_cache(maxsize=6)
def load_rows(dataset: str, folder: str | None = None) -> Rows:
    """Load a split from a folder written by :func:`pack`, or from the original data files."""
    if folder is not None:
        with np.load(Path(folder) / f"{dataset}.npz") as packed:
            return Rows(**{name: packed[name] for name in Rows._fields})
    if dataset == SINGLE_CELLS:
        return _single_cells()
    from ipcae.data import paper_split

    split = paper_split(dataset)
    return Rows(**{name: getattr(split, name) for name in Rows._fields})


def pack(folder: str) -> None:
    """Write every split to a compressed file, for machines without the original data."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in (*DATASETS, SINGLE_CELLS):
        np.savez_compressed(Path(folder) / f"{name}.npz", **load_rows(name)._asdict())


def _single_cells() -> Rows:
    """Normalize counts to 10,000 per cell, take log1p, and split 60/20/20."""
    from ipcae.data import load

    table = load(SINGLE_CELLS)
    X = np.log1p(1e4 * table.X / table.X.sum(1, keepdims=True)).astype(np.float32)
    order = np.random.default_rng(42).permutation(len(X))
    parts = np.split(order, [int(0.6 * len(X)), int(0.8 * len(X))])
    return Rows(*(array[part] for part in parts for array in (X, table.y)))
