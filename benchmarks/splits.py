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
ARRAYS = ("X_train", "y_train", "X_val", "y_val", "X_test", "y_test")


def load_split(name: str, folder: str | None = None) -> SimpleNamespace:
    """Return the split of a data set, from a packed file or from the originals."""
    if folder is None:
        from ipcae.data import paper_split

        return paper_split(name)
    with np.load(Path(folder) / f"{name}.npz") as packed:
        return SimpleNamespace(**{key: packed[key] for key in ARRAYS})


def pack(folder: str) -> None:
    """Write every split as a compressed file."""
    from ipcae.data import paper_split

    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        split = paper_split(name)
        np.savez_compressed(
            Path(folder) / f"{name}.npz", **{key: getattr(split, key) for key in ARRAYS}
        )


if __name__ == "__main__":
    pack(sys.argv[2])
