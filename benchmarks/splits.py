"""The paper's splits as compact files, to carry them to a machine without the originals.

python benchmarks/splits.py pack FOLDER        # here, from the original files
load_split("isolet", FOLDER)                   # there, with numpy alone
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

NAMES = ("mice_protein", "coil20", "isolet", "har", "mnist", "fashion_mnist")
CELLS = "worm_neuron"
ARRAYS = ("X_train", "y_train", "X_val", "y_val", "X_test", "y_test")


def load_split(name: str, folder: str | None = None) -> SimpleNamespace:
    """Return the split of a data set, from a packed file or from the originals."""
    if folder is None:
        from ipcae.data import paper_split

        return cells() if name == CELLS else paper_split(name)
    with np.load(Path(folder) / f"{name}.npz") as packed:
        return SimpleNamespace(**{key: packed[key] for key in ARRAYS})


def cells() -> SimpleNamespace:
    """Return the single-cell set, not in the paper: counts per 10,000, log1p, 60/20/20."""
    from ipcae.data import load

    table = load(CELLS)
    X = np.log1p(1e4 * table.X / table.X.sum(1, keepdims=True)).astype(np.float32)
    order = np.random.default_rng(42).permutation(len(X))
    parts = np.split(order, [int(0.6 * len(X)), int(0.8 * len(X))])
    arrays = [array[part] for part in parts for array in (X, table.y)]
    return SimpleNamespace(**dict(zip(ARRAYS, arrays, strict=True)))


def pack(folder: str) -> None:
    """Write every split as a compressed file."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in (*NAMES, CELLS):
        split = load_split(name)
        np.savez_compressed(
            Path(folder) / f"{name}.npz", **{key: getattr(split, key) for key in ARRAYS}
        )


if __name__ == "__main__":
    pack(sys.argv[2])
