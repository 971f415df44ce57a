"""The rows to train, validate and test on."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Rows(NamedTuple):
    """The paper's split of a data set."""

    X_train: NDArray[np.float32]
    y_train: NDArray[np.int64]
    X_val: NDArray[np.float32]
    y_val: NDArray[np.int64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


@lru_cache(maxsize=6)
def load_rows(dataset: str, folder: str | None = None) -> Rows:
    """Return the split from a folder of packed files, else from the original data files.

    ``python benchmarks/splits.py pack FOLDER`` packs them, for machines that have NumPy alone.
    """
    if folder is not None:
        with np.load(Path(folder) / f"{dataset}.npz") as packed:
            return Rows(**{name: packed[name] for name in Rows._fields})
    from ipcae.data import paper_split

    split: Any = paper_split(dataset)
    return Rows(**{name: getattr(split, name) for name in Rows._fields})
